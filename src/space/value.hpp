// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace jitune::internal {

/// One value of a parameter: an integer, or a name from the parameter's list.
using Value = std::variant<std::int64_t, std::string>;

inline std::string to_string(const Value& value) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    return integer != nullptr ? std::to_string(*integer) : std::get<std::string>(value);
}

/// The value of an expression. monostate is SQL's NULL, the result of a division by zero, for
/// example; truth is the integer 0 or 1.
using Scalar = std::variant<std::monostate, std::int64_t, double, std::string>;

inline Scalar to_scalar(const Value& value) {
    return std::visit([](const auto& held) { return Scalar(held); }, value);
}

/// A tunable name with its listed values. Values are all integers or all names (identifiers).
struct Parameter {
    std::string name;
    std::vector<Value> values;  ///< distinct, at least one
    std::size_t default_index = 0;

    [[nodiscard]] const Value& default_value() const { return values[default_index]; }
};

}  // namespace jitune::internal
