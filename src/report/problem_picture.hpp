// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/picture.hpp"
#include "report/report_data.hpp"

namespace jitune::internal {

/// The mark of a candidate with this verdict: its shape, and its class of the style sheet.
struct VerdictMark {
    Verdict verdict;
    Shape shape;
    std::string_view style;
};
std::span<const VerdictMark> verdict_marks();
const VerdictMark& mark_of(Verdict verdict);

/// "reduce float32 sum, n=1000"
std::string problem_name(const TriedProblem& problem);

/// The candidates of a problem by their times, the failed ones in a band above. A configuration
/// that was tried more than once counts with its last verdict.
std::string candidates_picture(const TriedProblem& problem);

/// The best time so far over the candidates in the order tried.
std::string progress_picture(const TriedProblem& problem);

/// The samples of the finalists, a strip for each.
std::string strips_picture(const TriedProblem& problem, std::size_t most);

}  // namespace jitune::internal
