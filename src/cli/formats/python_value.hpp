// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace jitune::internal {

/// A value of Python: a truth value, an integer of 63 bits, a float, a text or a list.
struct PythonValue {
    using List = std::vector<PythonValue>;
    std::variant<bool, std::int64_t, double, std::string, List> content;

    [[nodiscard]] const std::int64_t* integer() const {
        return std::get_if<std::int64_t>(&content);
    }
    [[nodiscard]] const double* real() const { return std::get_if<double>(&content); }
    [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&content); }
    [[nodiscard]] const List* list() const { return std::get_if<List>(&content); }
    [[nodiscard]] const bool* truth() const { return std::get_if<bool>(&content); }
};

using PythonNames = std::map<std::string, PythonValue>;

}  // namespace jitune::internal
