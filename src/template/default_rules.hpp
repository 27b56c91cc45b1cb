// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "space/configuration.hpp"
#include "space/expression.hpp"

namespace jitune::internal {

/// A table [[default]] of a template: the default configuration of some problems. Its expressions
/// are over sizes, types and device attributes.
struct DefaultRule {
    int line = 0;      ///< of the file, where the table begins
    std::string text;  ///< of `when`, as it is written: "bytes <= 262144"; empty: always
    Expression when;
    std::map<std::string, Expression>
        values;  ///< by parameter; of the others the own default holds

    /// The configuration with `names` bound; nothing if a listed_value() is missing.
    [[nodiscard]] std::optional<Configuration> configuration(
        std::span<const Parameter> parameters, const std::map<std::string, Scalar>& names) const;
};

/// The value of the parameter that a rule's expression gives; nothing if it is none. A number
/// stands for the largest listed value that is not above it, or for the smallest.
std::optional<Value> listed_value(const Parameter& parameter, const Scalar& wanted);

/// A template's text without its tables [[default]], which only say where a search begins and what
/// answers before it. Tables that are written as "[[ default ]]" or "default = [{ … }]" stay.
std::string without_default_rules(std::string_view text);

}  // namespace jitune::internal
