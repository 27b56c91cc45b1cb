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

/// How a call is answered if neither memory nor the database has a winner for its problem.
enum class TunePolicy {
    /// As offline; a thread of the session then has a worker of low priority tune the problem, and
    /// later calls take its winner. Functions that prepare a handle wait for the tuning, for up to
    /// two budgets: if the winner would change the bits of its results, a handle keeps its first
    /// answer.
    background,
    /// The call waits for a tuning, for Options::budget. The winner answers, or the configuration
    /// that would win if the tuning ended then; if none is clearly faster than the default by then,
    /// as offline. Later calls take the winner.
    now,
    /// The stored winner of the nearest range within an octave, unless stored times say that it is
    /// slower than the template's default; else that default. Nothing is tuned.
    offline,
    template_default,  ///< the template's default configuration; nothing is tuned
};

/// The calls that a session records in the database.
enum class Record {
    nothing,
    misses,  ///< the calls that no winner serves: for `jitune worklist`
    all,     ///< the misses; and, for each exact size that is called, the answer: `jitune stats`
};

enum class LogLevel { off, error, warning, info, debug };

/// How a Session finds and tunes winners, and what it logs. Plain data; a Session keeps its own
/// copy.
struct JITUNE_API Options {
    /// The tuning database. Empty or "none": keep winners in memory only. While others hold it, the
    /// first call for a problem waits for 0.1 s (2 s if on_miss is `now` or with `frozen`) and then
    /// takes the template's default; the next call reads again. A read failure never starts a
    /// tuning.
    std::filesystem::path database = default_database();
    TunePolicy on_miss = TunePolicy::background;
    /// Tune on a GPU also while it works. If false, a tuning that no call waits for begins only
    /// when no process has used the GPU for about a second; if the driver does not tell that, it
    /// never begins.
    bool tune_on_busy_gpu = false;
    /// The session serves the winners that the database holds as it is: it never tunes and never
    /// writes, whatever on_miss says. A size that no sure stored winner serves is answered by the
    /// template's default and counted in Counters::unserved. Explicit tuning throws Error(usage).
    bool frozen = false;
    /// At most one call in 10^4 of a stored winner is timed where it runs, never in a capture. A
    /// winner whose calls take longer than the database says, again and again, or that was tuned
    /// with another driver, is recorded as in doubt; under TunePolicy::background it is raced
    /// against the default and the runner-up. Reductions of up to 4096 bytes in host memory and
    /// prepared handles are not timed.
    bool watch_winners = true;
    /// The calls that are recorded: what was called, about how often, what answered, and which
    /// calls had to wait. A thread of the session writes this within ten seconds. Under `frozen`,
    /// nothing is written. Reductions of up to 4096 bytes in host memory are not recorded.
    Record record = Record::misses;
    /// Up to 10^7 s; zero: no limit. How long the tuning of a problem at its own sizes takes, with
    /// its final comparison and the winner's own compile. Under TunePolicy::now a call waits for
    /// it, and at most a twentieth longer. The launch, and the compile of a default that is needed
    /// then, come on top.
    std::chrono::milliseconds budget{2000};
    /// Where calls work on data in host memory. "host": on the CPU. "cuda" or "cuda:N": on that
    /// GPU, to which the data is copied. "auto": on the fastest of the places that the family of
    /// kernels has, as tuning has found for the problem on this machine. Stencils and entropies
    /// have the CPU, one GPU and several GPUs. Reductions have the CPU only: a copy to a GPU reads
    /// each element once, which is all that a reduction does. Without a GPU "auto" is "host". Data
    /// in device memory is always worked on by its own device.
    std::string device = "host";
    /// The name of a search strategy; `jitune --help` lists them with their meaning.
    std::string strategy = "auto";
    std::uint64_t seed = 0;
    /// Path of the `jitune` command that is run as tuning worker, so that a candidate that crashes
    /// or hangs does no harm to this process; everything is then tuned in a worker. Empty: as
    /// JITUNE_WORKER says. If that is not set, custom operations and user kernels are tuned in a
    /// worker of the installed command, and throw Error(unavailable) without a command; built-in
    /// kernels are tuned in this process. "none": everything is tuned in this process, which ends
    /// with a candidate that crashes.
    std::filesystem::path worker;
    /// With a worker: the longest time for checking or timing one candidate, and for one compile.
    /// From 1 ms to 10^7 s.
    std::chrono::milliseconds hang_limit{60'000};
    std::chrono::milliseconds compile_limit{120'000};
    LogLevel log_level = LogLevel::warning;
    /// Receives each message; empty: standard error. Called by any thread; must not call jitune.
    std::function<void(LogLevel, std::string_view)> log_sink;

    /// The defaults above, changed by the environment: JITUNE_DB (a path, or "none"), JITUNE_TUNE
    /// (background, now, offline or default), JITUNE_RECORD (nothing, misses or all),
    /// JITUNE_TUNE_BUSY, JITUNE_WATCH and JITUNE_FROZEN (0 or 1), JITUNE_BUDGET and
    /// JITUNE_HANG_LIMIT (seconds), JITUNE_WORKER (a path, or "none") and JITUNE_LOG (off, error,
    /// warning, info or debug). Throws Error(usage) that names the variable and what it accepts.
    [[nodiscard]] static Options from_environment();

    /// $XDG_CACHE_HOME/jitune/tuning.db, else ~/.cache/jitune/tuning.db; empty if neither is
    /// known.
    [[nodiscard]] static std::filesystem::path default_database();
};

/// The values of JITUNE_TUNE, JITUNE_RECORD, JITUNE_LOG and JITUNE_BUDGET (in seconds). They throw
/// Error(usage) that says what is accepted.
JITUNE_API TunePolicy parse_tune_policy(std::string_view word);
JITUNE_API Record parse_record(std::string_view word);
JITUNE_API LogLevel parse_log_level(std::string_view word);
JITUNE_API std::chrono::milliseconds parse_budget(std::string_view word);

JITUNE_END_NAMESPACE
