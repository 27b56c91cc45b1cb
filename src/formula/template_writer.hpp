// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/platform_kind.hpp"
#include "formula/binding.hpp"

namespace jitune::internal {

/// The text of a kernel template (docs/reference/kernel_templates.md) that computes a formula for
/// one form of a call: a launch for each stage, a plain reference that computes in float64, and
/// data to tune on. Its size is n; a call brings the inputs of the binding in their order, then the
/// outputs. Throws Error(usage) for what is no formula, and for a binding that does not fit it.
std::string formula_template(std::string_view formula, const FormulaBinding& binding,
                             PlatformKind platform);

/// What a formula gives: a result, or an array that it writes.
struct FormulaGift {
    std::string name;
    bool is_array = false;
    ElementType type = ElementType::float32;  ///< where a call does not want another one
};

/// Everything that a formula gives, in the order of its statements, for a binding without outputs.
/// An array that is an input, too, keeps its type. Throws as formula_template().
std::vector<FormulaGift> formula_gifts(std::string_view formula, FormulaBinding binding);

}  // namespace jitune::internal
