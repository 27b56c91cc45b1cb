// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string_view>

#include "jitune/options.hpp"

namespace jitune::internal {

// The two halves of Options::from_environment().

/// The defaults, with the policy `usual`, changed by the environment. Throws Error(usage).
Options read_environment(TunePolicy usual);

/// Sets the option whose member has this name. The text is as in the environment; that of `worker`
/// is a path or "none". Throws Error(usage), which lists the names or says what the option accepts.
void set_option(Options& options, std::string_view name, std::string_view value);

/// Logs a warning if `options` have no database only because the environment names no folder for
/// one.
void warn_without_folder(const Options& options);

/// Seconds above 0, as of JITUNE_HANG_LIMIT. Throws Error(usage).
std::chrono::milliseconds parse_limit(std::string_view word);

}  // namespace jitune::internal
