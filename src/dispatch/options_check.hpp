// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "jitune/options.hpp"

namespace jitune::internal {

inline constexpr double kMostExploreShare = 0.1;

/// The path of a database as options, environment and command line give it: "none" is empty.
std::filesystem::path database_named(const std::filesystem::path& given);

/// The options as a session keeps them: under `frozen`, on_miss becomes template_default. Throws
/// Error(usage) that names a bad member and what it accepts.
Options checked(Options options);

/// Throws Error(usage) if the options forbid to tune.
void refuse_frozen(const Options& options);

/// Throws Error(usage) in Options::log_sink: a miss or a tuning there may wait for its own thread.
void refuse_sink();

}  // namespace jitune::internal
