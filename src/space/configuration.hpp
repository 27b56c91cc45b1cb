// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "space/value.hpp"

namespace jitune::internal {

/// The index of the parameter of this name; the number of `parameters` if there is none.
std::size_t parameter_index(std::string_view name, std::span<const Parameter> parameters);

/// "block, items": the names of parameters, for messages.
std::string names_text(std::span<const Parameter> parameters);

/// "64, 128, 256": the values of a parameter, for messages.
std::string values_text(const Parameter& parameter);

/// One point of a search space: a value for each parameter, in the parameters' order.
class Configuration {
public:
    using Entry = std::pair<std::string, Value>;

    Configuration() = default;
    explicit Configuration(std::vector<Entry> entries) : entries_(std::move(entries)) {}

    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

    /// Throws std::out_of_range for a name that is not a parameter.
    [[nodiscard]] const Value& at(std::string_view name) const;

    /// The one spelling used in logs and in the database: "block=256 items_per_thread=8
    /// finish=ticket".
    [[nodiscard]] std::string text() const;

    /// Reads `text()` back. Every parameter must be there once, in any order, with one of its
    /// listed values; else Error(usage) that names the parameter and its values.
    static Configuration parse(std::string_view text, std::span<const Parameter> parameters);

    bool operator==(const Configuration&) const = default;

private:
    std::vector<Entry> entries_;
};

}  // namespace jitune::internal
