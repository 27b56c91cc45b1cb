// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jitune/options.hpp"

namespace jitune::internal {

// The two halves of Options::from_environment().

/// The defaults, changed by the environment. Throws Error(usage).
Options read_environment();

/// Logs a warning where `options` have no database only because the environment names no folder for
/// one.
void warn_without_folder(const Options& options);

}  // namespace jitune::internal
