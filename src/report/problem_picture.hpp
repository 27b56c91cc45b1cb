// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/report_data.hpp"

namespace jitune::internal {

/// The candidates of a problem by their times, the failed ones in a band above. A configuration
/// that was tried more than once counts with its last verdict.
std::string candidates_picture(const TriedProblem& problem);

/// The best time so far over the candidates in the order tried.
std::string progress_picture(const TriedProblem& problem);

/// The samples of the finalists, a strip for each.
std::string strips_picture(const TriedProblem& problem, std::size_t most);

}  // namespace jitune::internal
