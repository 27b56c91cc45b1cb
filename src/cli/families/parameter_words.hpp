// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "template/front_matter.hpp"

namespace jitune::internal {

/// A value of a parameter that is a name, or that means more than its number.
struct ValueWords {
    std::string_view value;
    std::string_view meaning;
};

/// The meaning of a parameter of the built-in templates: a row of docs/reference/parameters.md.
struct ParameterWords {
    std::string_view name;
    /// The backend ("machine") or else the kernel ("reduce_rows") that it is a parameter of; empty:
    /// of all that no other row of that name fits.
    std::string_view of;
    std::string_view meaning;
    std::vector<ValueWords> values = {};
};

std::span<const ParameterWords> parameter_words();

/// The row of a parameter of a built-in template; nullptr for an unknown parameter.
const ParameterWords* find_parameter_words(const FrontMatter& source, std::string_view name);

/// One setting of a configuration.
struct ExplainedSetting {
    std::string name;
    std::string value;
    std::string meaning;
};

/// The settings of a Configuration::text() of a built-in template, in its order.
std::vector<ExplainedSetting> explain_configuration(const FrontMatter& source,
                                                    std::string_view configuration);

}  // namespace jitune::internal
