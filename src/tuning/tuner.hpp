// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend/device.hpp"
#include "support/log.hpp"
#include "template/kernel_template.hpp"
#include "template/problem.hpp"
#include "template/workload.hpp"
#include "tuner_db/record.hpp"
#include "tuning/binary_cache.hpp"
#include "tuning/tune_observer.hpp"

namespace jitune::internal {

/// How to search.
struct TuneOptions {
    std::string strategy = "random";
    std::uint64_t seed = 0;
    /// No new candidate is started after this; zero: no limit. The template's default is always
    /// tried.
    std::chrono::milliseconds budget{0};
    std::size_t max_evaluations = 0;  ///< zero: no limit; history counts
    /// The search ends when the best median is at most this, or this many times shorter than the
    /// default's; zero: no target.
    double target_ns = 0;
    double target_speed_up = 0;
    std::size_t compile_threads = 0;     ///< zero: as CompileAhead takes them
    std::chrono::milliseconds spent{0};  ///< of the budget, by a search that this one goes on with
    /// What is known already, one for a configuration: counts as evaluated and is not run again.
    std::vector<Measurement> history = {};
    /// Configurations that may take the process or the machine down: each is compiled and run
    /// while nothing else is.
    std::vector<std::string> suspects = {};
    /// Configurations that promise much: those of the space are tried before the strategy is
    /// asked, in the order in which compilers are done with them.
    std::vector<std::string> hints = {};
    /// The winner so far. It is tried after the default, and stays unless another is clearly
    /// faster.
    std::optional<Configuration> incumbent = std::nullopt;
    const std::atomic<bool>* stop = nullptr;  ///< ends the search early when it becomes true
    std::function<void(const TuneProgress&)> progress = {};  ///< on the calling thread
    TuneObserver* observer = nullptr;                        ///< told of every step, or null
};

struct TuneReport {
    Winner winner;  ///< with its own image, compiled alone
    std::vector<Measurement>
        measurements;       ///< one per configuration evaluated here, one more per finalist
    TuneProgress progress;  ///< as at the end
};

/// Finds the best configuration for one problem on one device.
///
/// Candidates are compiled in parallel ahead of the timer, checked on every case of the workload,
/// timed with a cold last-level cache and raced against the best so far. The finalists, the
/// template's default and the incumbent are timed again, interleaved; the fastest must be clearly
/// faster than the incumbent (the default where there is none), else that one stays. Runs on
/// the calling thread; compiles on others, joined before return.
///
/// Throws Error: compile, verify (no configuration gave the right result; the message counts the
/// verdicts and quotes one), device (the device was lost), unavailable (no compiler, no memory).
TuneReport tune(Device& device, const KernelTemplate& kernel, const Workload& workload,
                const Problem& problem, const TuneOptions& options, BinaryCache& binaries,
                const Log& log);

}  // namespace jitune::internal
