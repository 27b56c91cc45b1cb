// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "support/log.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

/// Adds the measurements and winners of a database that a task of this user's has delivered, with
/// the binaries. A database that was merged before changes nothing. Returns its winners, without
/// their images. Throws Error(store), also where the file is no database.
std::vector<Winner> merge_delivered(TuningStore& into, const std::filesystem::path& from,
                                    const Log& log);

}  // namespace jitune::internal
