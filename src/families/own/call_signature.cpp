// SPDX-License-Identifier: Apache-2.0
#include "families/own/call_signature.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

/// "a value of int32".
std::string text_of(const KernelArgument& given) {
    if (given.kind() == KernelArgument::Kind::value) {
        return fmt::format("a value of {}", to_string(given.type()));
    }
    if (given.bits() == 0) {
        return "a null pointer";
    }
    const std::string_view type =
        given.kind() == KernelArgument::Kind::untyped_pointer ? "void" : to_string(given.type());
    return fmt::format("a pointer to {} at {:#x}", type, given.bits());
}

}  // namespace

CallSignature::CallSignature(const KernelTemplate& kernel,
                             const std::map<std::string, std::string>& types)
    : template_name_(kernel.source().name), sizes_(kernel.front_matter().sizes) {
    for (const ArgumentSpec& argument : kernel.front_matter().arguments) {
        if (is_given(argument.access)) {
            const auto type = types.find(argument.type);
            const ElementType element =
                parse_element_type(type == types.end() ? argument.type : type->second);
            arguments_.push_back({argument.name, element, argument.access == Access::value,
                                  static_cast<std::uint64_t>(argument.alignment.value_or(
                                      static_cast<std::int64_t>(bytes_of(element))))});
        }
    }
}

std::int64_t CallSignature::count_of(const ArgumentSpec& argument,
                                     const std::optional<Scalar>& amount) const {
    if (!amount) {
        return -1;
    }
    if (const auto* const count = std::get_if<std::int64_t>(&*amount)) {
        return *count;
    }
    // An integer that overflows becomes a real.
    const auto* const real = std::get_if<double>(&*amount);
    constexpr double kMost = 9e18;
    if (real == nullptr || !(*real >= 0 && *real <= kMost)) {
        refuse(fmt::format("argument {} cannot have {} elements with these sizes", argument.name,
                           argument.amount.text()));
    }
    return static_cast<std::int64_t>(std::ceil(*real));
}

std::vector<KernelParameter> CallSignature::parameters(const KernelTemplate& kernel,
                                                       const Problem& problem) const {
    std::vector<KernelParameter> parameters;
    for (const ArgumentSpec& argument : kernel.front_matter().arguments) {
        if (is_given(argument.access)) {
            const Argument& one = arguments_[parameters.size()];
            const std::int64_t count =
                one.is_value ? 1 : count_of(argument, kernel.value_of(argument.amount, problem));
            parameters.push_back(
                {one.name, one.type, one.is_value, is_written(argument.access), count});
        }
    }
    return parameters;
}

std::size_t CallSignature::place_of(std::string_view name) const {
    const auto found = std::find(sizes_.begin(), sizes_.end(), name);
    if (found == sizes_.end()) {
        refuse_name(name);
    }
    return static_cast<std::size_t>(found - sizes_.begin());
}

void CallSignature::refuse(const std::string& reason) const {
    throw Error(ErrorKind::usage, fmt::format("{}: {}", template_name_, reason));
}

void CallSignature::refuse_size_count(std::size_t given) const {
    refuse(fmt::format("the number of sizes is {}, but the kernel takes {}: {}", given,
                       sizes_.size(), fmt::join(sizes_, ", ")));
}

void CallSignature::refuse_name(std::string_view name) const {
    refuse(fmt::format("unknown or duplicate size name \"{}\"; the sizes are {}", name,
                       fmt::join(sizes_, ", ")));
}

void CallSignature::refuse_size(std::size_t place, std::int64_t value) const {
    if (value < 1) {
        refuse(fmt::format("size {} is {}; it must be at least 1", sizes_[place], value));
    }
    refuse_name(sizes_[place]);
}

void CallSignature::refuse_argument_count(std::size_t given) const {
    std::vector<std::string_view> names;
    for (const Argument& argument : arguments_) {
        names.emplace_back(argument.name);
    }
    refuse(fmt::format("the number of arguments is {}, but the kernel takes {}: {}", given,
                       names.size(), fmt::join(names, ", ")));
}

void CallSignature::refuse_argument(const Argument& argument, const KernelArgument& given) const {
    const std::string wanted =
        argument.is_value ? fmt::format("a value of {}", to_string(argument.type))
                          : fmt::format("a pointer to {}, not null and aligned to {} bytes",
                                        to_string(argument.type), argument.alignment);
    refuse(fmt::format("argument {} must be {}, but is {}", argument.name, wanted, text_of(given)));
}

}  // namespace jitune::internal
