// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

#include "backend/platform_kind.hpp"
#include "jitune/options.hpp"

namespace jitune::internal {

// The two halves of Options::from_environment().

/// The defaults, with the policy `usual`, changed by the environment. Throws Error(usage).
Options read_environment(TunePolicy usual);

/// Logs a warning where `options` have no database only because the environment names no folder for
/// one.
void warn_without_folder(const Options& options);

/// Sets the option whose member has this name. The text is as in the environment; that of `worker`
/// is a path or "none". Throws Error(usage), which lists the names or says what the option accepts.
void set_option(Options& options, std::string_view name, std::string_view value);

/// Seconds above 0, as of JITUNE_HANG_LIMIT. Throws Error(usage).
std::chrono::milliseconds parse_limit(std::string_view word);

/// The path of a database as options, environment and command line give it: "none" is empty.
std::filesystem::path database_named(const std::filesystem::path& given);

/// A device in the form in which users name it.
struct DeviceId {
    PlatformKind platform;
    int ordinal = 0;
};

/// Parses "host", "cuda" or "cuda:N". Throws Error(usage) for any other text.
DeviceId parse_device_id(std::string_view text);

/// The options as a session keeps them: under `frozen`, on_miss becomes template_default. Throws
/// Error(usage) that names a bad member and what it accepts.
Options checked(Options options);

/// Throws Error(usage) if the options forbid to tune.
void refuse_frozen(const Options& options);

/// Throws Error(usage) if the calling thread is inside Options::log_sink. A miss or a tuning that
/// the sink begins may wait for the very thread that runs the sink, and so for ever.
void refuse_sink();

}  // namespace jitune::internal
