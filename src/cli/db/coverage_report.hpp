// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/formats/json.hpp"
#include "tuner_db/winners/coverage.hpp"

namespace jitune::internal {

/// Describes the coverage of one key, one fact per line. `binaries` is the number of its different
/// binaries. A list is cut after 12 lines, and says how many more there are.
std::string coverage_report(const Coverage& coverage, std::size_t binaries);

/// The coverage of one key as JSON, uncut.
Json coverage_report_json(const Coverage& coverage, std::size_t binaries);

}  // namespace jitune::internal
