// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dispatch/engine.hpp"
#include "jitune/element_type.hpp"

namespace jitune::internal {

/// One kernel of an article on the sum, as docs/reference/article_steps.md lists them. They run on
/// CUDA devices.
struct ReductionStep {
    std::string_view article;  ///< "study notes"
    std::string_view name;     ///< "v0"; the type "step" of its template
    std::string_view change;   ///< what it does that the step before does not, in a few words
    std::string_view template_name;
};

/// All steps, article by article, each in its author's order.
std::span<const ReductionStep> reduction_steps();

/// The template that has the step, with the reduction's workload. Parsed once.
const Kernel& step_kernel(const ReductionStep& step);

/// Throws Error(usage) for a type that the steps do not have.
void refuse_other_types(ElementType type);

/// The sum of n elements by the step. Throws Error(usage) for other types than float32 and int32.
Problem step_problem(const ReductionStep& step, ElementType type, std::int64_t n);

/// Those entries of a configuration that the step's problem leaves open: "block=256".
std::string free_parameters(const Configuration& configuration, const SearchSpace& space);

}  // namespace jitune::internal
