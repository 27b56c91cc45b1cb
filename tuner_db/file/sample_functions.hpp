// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner_db/file/sqlite.hpp"

namespace jitune::internal {

/// Adds the SQL functions jitune_median_ns(samples) and jitune_noise(samples), which summarize a
/// column samples_ns as summarize() does. NULL for what holds no positive, finite samples. Only
/// statements of this connection can call them, no view or index.
void add_sample_functions(sqlite::Connection& connection);

}  // namespace jitune::internal
