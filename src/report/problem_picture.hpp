// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/picture.hpp"
#include "report/report_data.hpp"

namespace jitune::internal {

/// The shape and the class of the style sheet that marks of a verdict have.
Shape verdict_shape(Verdict verdict);
std::string_view verdict_style(Verdict verdict);

/// The candidates of a problem by their times, the failed ones in a band above. A configuration
/// that was tried more than once counts with its last verdict.
std::string candidates_picture(const TriedProblem& problem);

/// The best time so far over the candidates in the order tried.
std::string progress_picture(const TriedProblem& problem);

/// The samples of the finalists, a strip for each.
std::string strips_picture(const TriedProblem& problem, std::size_t most);

}  // namespace jitune::internal
