// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "jitune/export.hpp"

JITUNE_BEGIN_NAMESPACE

/// What a call does when neither memory nor the database has a winner for its problem.
enum class TunePolicy {
    now,               ///< tune within Options::budget, then answer with the winner
    nearest,           ///< the stored winner of the nearest size, else the template's default
    template_default,  ///< the template's default configuration
};

enum class LogLevel { off, error, warning, info, debug };

/// How a Session finds, tunes and reports. Plain data; a Session keeps its own copy.
struct JITUNE_API Options {
    /// The tuning database. Empty: keep winners in memory only.
    std::filesystem::path database = default_database();
    TunePolicy on_miss = TunePolicy::now;
    /// Time that one miss may spend on tuning; zero: no limit. One compile and one check are always
    /// made. Another process that tunes the same problem is waited for half as long again.
    std::chrono::milliseconds budget{2000};
    /// Where data in host memory is worked on: "host", where the data is; "cuda" or "cuda:N", which
    /// it is then copied to; or "auto", which is where it is fastest: on the CPU, one GPU or
    /// several, as tuning has found for the problem on this machine. Without a GPU "auto" is
    /// "host". Data in device memory is always worked on by its own device.
    std::string device = "host";
    /// One row of the strategy table: "auto", "exhaustive", "random" or "surrogate".
    std::string strategy = "auto";
    std::uint64_t seed = 0;
    /// The jitune command, in a process of which kernels are tuned, so that a candidate that
    /// crashes or hangs costs nothing but itself. Empty: built-in kernels are tuned in this
    /// process, custom operations and kernels of the caller's own in one of the jitune on $PATH
    /// where there is one. "none": all in this process.
    std::filesystem::path worker;
    /// With a worker: what checking or timing one candidate, and one call of a compiler, may take.
    std::chrono::milliseconds hang_limit{60'000};
    std::chrono::milliseconds compile_limit{120'000};
    LogLevel log_level = LogLevel::warning;
    /// Receives each message; empty: standard error. May be called from any thread.
    std::function<void(LogLevel, std::string_view)> log_sink;

    /// The defaults above with JITUNE_DB (a path, or "none"), JITUNE_TUNE (now, nearest or
    /// default), JITUNE_BUDGET (seconds), JITUNE_WORKER (a path, or "none") and JITUNE_LOG (off,
    /// error, warning, info or debug) applied. Throws Error(usage) that names the variable and what
    /// it accepts.
    [[nodiscard]] static Options from_environment();

    /// $XDG_CACHE_HOME/jitune/tuning.db, else ~/.cache/jitune/tuning.db; empty where neither is
    /// known.
    [[nodiscard]] static std::filesystem::path default_database();
};

/// The words of JITUNE_TUNE, JITUNE_LOG and JITUNE_BUDGET (seconds). They throw Error(usage) that
/// says what is accepted.
JITUNE_API TunePolicy parse_tune_policy(std::string_view word);
JITUNE_API LogLevel parse_log_level(std::string_view word);
JITUNE_API std::chrono::milliseconds parse_budget(std::string_view word);

JITUNE_END_NAMESPACE
