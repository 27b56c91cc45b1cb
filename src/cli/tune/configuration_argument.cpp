// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/configuration_argument.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "template/problem.hpp"

namespace jitune::internal {

namespace {

/// `text` with the settings of the default that it does not name.
std::string completed(const std::string& text, const Configuration& standard) {
    std::string result = text;
    for (const auto& [name, value] : standard.entries()) {
        const std::vector<std::string_view> given = settings_of(text);
        const bool is_given = std::any_of(given.begin(), given.end(), [&](std::string_view one) {
            return one.substr(0, one.find('=')) == name;
        });
        if (!is_given) {
            result += fmt::format(" {}={}", name, to_string(value));
        }
    }
    return result;
}

}  // namespace

Configuration parse_configuration(const std::string& text, const KernelTemplate& kernel,
                                  const Problem& problem, const DeviceInfo& device) {
    const FrontMatter& front = kernel.front_matter();
    Configuration configuration = Configuration::parse(
        completed(text, kernel.default_configuration(problem, device)), front.parameters);
    std::map<std::string, Scalar> values;
    for (const auto& [name, value] : configuration.entries()) {
        values.emplace(name, std::visit([](const auto& held) { return Scalar(held); }, value));
    }
    const auto refuse_unless = [&](const std::vector<Expression>& expressions, const char* what) {
        const std::vector<Expression> bound = kernel.bound(expressions, problem, device);
        for (std::size_t i = 0; i < bound.size(); ++i) {
            const auto value = bound[i].bind(values).constant_value();
            if (!value || !is_true(*value)) {
                throw Error(ErrorKind::usage,
                            fmt::format("configuration \"{}\": {} \"{}\" of {} does not hold here",
                                        configuration.text(), what, expressions[i].text(),
                                        kernel.source().name));
            }
        }
    };
    refuse_unless(front.constraints, "the constraint");
    refuse_unless(front.prune, "the prune");
    return configuration;
}

}  // namespace jitune::internal
