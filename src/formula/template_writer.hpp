// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "backend/platform_kind.hpp"
#include "formula/binding.hpp"

namespace jitune::internal {

/// The text of a kernel template (docs/reference/kernel_templates.md) that computes a formula for
/// one form of a call: a launch for each stage, a plain reference that computes in float64, and
/// data to tune on. Its size is n; a call brings the inputs of the binding in their order, then the
/// outputs. Throws Error(usage) for what is no formula, and for a binding that does not fit it.
std::string formula_template(std::string_view formula, const FormulaBinding& binding,
                             PlatformKind platform);

/// The type of a result or of a written array where the call does not want another one. Throws as
/// formula_template().
ElementType formula_result_type(std::string_view formula, const FormulaBinding& binding,
                                const std::string& name);

}  // namespace jitune::internal
