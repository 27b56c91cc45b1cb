// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

/// "a, b or c": the names of a table's rows.
template <class Table>
std::string names_of(const Table& table) {
    std::string names;
    for (const auto& row : table) {
        const bool last = &row == &*std::prev(std::end(table));
        names += fmt::format("{}{}", names.empty() ? "" : last ? " or " : ", ", row.name);
    }
    return names;
}

/// True if the rows of a table are the values of an enumeration in its order, up to `last`.
template <class Table, class Enum>
constexpr bool is_complete(const Table& table, Enum last) {
    std::size_t place = 0;
    for (const auto& row : table) {
        if (static_cast<std::size_t>(row.value) != place++) {
            return false;
        }
    }
    return place == static_cast<std::size_t>(last) + 1;
}

/// The row of a value in a table whose rows have `value` and `name` and are in the order of the
/// enumeration. `what` is for the Error(usage) that a number gets which the enumeration does not
/// have: "an element type"; it lists the names. Cheap enough for every call.
template <class Table, class Enum>
const auto& row_of(const Table& table, Enum value, std::string_view what) {
    const auto index = static_cast<std::size_t>(value);
    if (index < table.size() && table[index].value == value) [[likely]] {
        return table[index];
    }
    throw Error(ErrorKind::usage, fmt::format("{} is not {}: use {}", static_cast<int>(value), what,
                                              names_of(table)));
}

/// The value with a name. Throws Error(usage) that lists the names there are.
template <class Table>
auto parse_name(const Table& table, std::string_view name, std::string_view what) {
    for (const auto& row : table) {
        if (row.name == name) {
            return row.value;
        }
    }
    throw Error(ErrorKind::usage,
                fmt::format("\"{}\" is not {}: use {}", name, what, names_of(table)));
}

}  // namespace jitune::internal
