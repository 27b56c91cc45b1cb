// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/formats/json.hpp"
#include "tuner_db/merge/merge.hpp"

namespace jitune::internal {

/// Counts, for a person, the rows that the merge of `file` has added. Names the pairs of winners
/// that disagree, and those of which the new one serves now.
std::string merge_text(const std::string& file, const MergeReport& report, bool dry_run);

Json merge_json(const std::string& file, const MergeReport& report);

}  // namespace jitune::internal
