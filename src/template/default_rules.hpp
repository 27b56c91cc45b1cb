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

    /// The configuration with `names` bound; nothing if a value is none of its parameter's. A
    /// number stands for the largest listed value that is not above it, or for the smallest.
    [[nodiscard]] std::optional<Configuration> configuration(
        std::span<const Parameter> parameters, const std::map<std::string, Scalar>& names) const;
};

/// A template's text without its tables [[default]], which only say where a search begins and what
/// answers before it.
std::string without_default_rules(std::string_view text);

}  // namespace jitune::internal
