// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/json.hpp"
#include "tuner_db/merge.hpp"

namespace jitune::internal {

/// What the merge of `file` has brought, for a person: a line, and one for each meeting of winners
/// that disagree or of which the new one serves now.
std::string merge_text(const std::string& file, const MergeReport& report, bool dry_run);

Json merge_json(const std::string& file, const MergeReport& report);

}  // namespace jitune::internal
