// SPDX-License-Identifier: Apache-2.0
#include "template/front_matter.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace jitune::internal {

bool FrontMatter::constrains_sizes() const {
    return std::any_of(constraints.begin(), constraints.end(), [&](const Expression& constraint) {
        const std::set<std::string> names = constraint.names();
        return std::any_of(sizes.begin(), sizes.end(),
                           [&](const std::string& size) { return names.contains(size); });
    });
}

bool FrontMatter::is_instance_word(std::string_view name) const {
    return types.contains(std::string(name)) ||
           std::any_of(parameters.begin(), parameters.end(),
                       [&](const Parameter& one) { return one.name == name; });
}

Scalar FrontMatter::type_value(const std::string& parameter, const std::string& name) const {
    std::int64_t value = 0;
    const char* const end = name.data() + name.size();
    if (ranges.contains(parameter) && std::from_chars(name.data(), end, value).ptr == end) {
        return value;
    }
    return name;
}

const ArgumentSpec* FrontMatter::find_argument(std::string_view name) const {
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const ArgumentSpec& one) { return one.name == name; });
    return found == arguments.end() ? nullptr : &*found;
}

}  // namespace jitune::internal
