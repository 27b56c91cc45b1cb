// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/log.hpp"
#include "tuning/isolation/worker_request.hpp"
#include "tuning/record_maker.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

class WorkerProcess;

/// How long a worker may take for one step.
struct WatchLimits {
    std::chrono::milliseconds candidate{60'000};  ///< checking a candidate, or timing it
    std::chrono::milliseconds compile{120'000};   ///< one call of the compiler
    std::chrono::milliseconds idle{600'000};      ///< anything else, such as making the data
};

/// One tuning as its supervisor sees it, over all the workers that it takes.
class SupervisedTuning {
public:
    /// All but the request must outlive it.
    SupervisedTuning(WorkerRequest request, const TuneHooks& hooks, const RecordMaker& record_maker,
                     const WatchLimits& limits, const Log& log,
                     std::atomic<std::int64_t>& compiles);

    /// Has `worker` tune from what is known so far. The report, or nothing where the worker is of
    /// no use any more; what it died of is then known. Throws the tuning's own error, and
    /// Error(device) for the third worker in a row that came to nothing.
    std::optional<TuneReport> follow(WorkerProcess& worker);

private:
    using Clock = std::chrono::steady_clock;

    struct Batch {
        std::vector<std::string> configurations;
        Clock::time_point since;
    };

    void begin(WorkerProcess& worker);
    std::optional<TuneReport> take(WorkerProcess& worker, const Message& message);
    void take_step(const std::string& word, MessageReader& reader);
    void take_measurement(Measurement measurement);
    TuneReport make_report(MessageReader& reader);
    /// The error that a worker reports; returns for one that is the worker's alone.
    void take_error(MessageReader& reader);
    /// True where something takes too long, whose verdict is then made.
    bool is_late();
    bool is_late(const Batch& batch) const;
    void give_late_compiles_a_verdict();
    void explain_end(const std::string& reason);
    void suspect(const std::vector<std::string>& configurations);
    void charge(const std::string& configuration, Verdict verdict, const std::string& reason);
    void count_futile(const std::string& reason);
    [[nodiscard]] std::set<std::string> compiling() const;

    WorkerRequest request_;
    const TuneHooks& hooks_;
    const RecordMaker& record_maker_;
    const WatchLimits& limits_;
    Log log_;
    std::atomic<std::int64_t>& compiles_;
    TuneReport report_;
    std::map<std::string, std::size_t> place_of_;  ///< of a configuration in the history
    std::set<std::string> doubtful_;  ///< under way beside a suspect when a worker died
    int futile_ = 0;                  ///< workers in a row that came to nothing
    std::optional<Clock::time_point> search_began_;
    std::chrono::milliseconds spent_before_;

    // Of the present worker.
    bool told_to_stop_ = false;
    std::string running_;  ///< configuration; empty: none
    Clock::time_point since_;
    std::map<std::int64_t, Batch> batches_;
};

}  // namespace jitune::internal
