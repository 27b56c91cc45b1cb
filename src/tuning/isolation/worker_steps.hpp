// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/loop_clock.hpp"
#include "support/message.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// How long a worker may take for one step.
struct WatchLimits {
    std::chrono::milliseconds candidate{60'000};  ///< checking a candidate, or timing it
    std::chrono::milliseconds compile{120'000};   ///< one call of the compiler
    std::chrono::milliseconds idle{600'000};      ///< anything else, such as making the data
    std::chrono::milliseconds silent{5'000};      ///< a step, before it is reported as a wait
    std::chrono::milliseconds stopped{5'000};     ///< a stop request, before the first candidate
};

/// The steps of one worker that are under way, by the messages that announce them. Times are those
/// of the supervised tuning's clock: when a message came, or the present one.
class WorkerSteps {
public:
    using Time = LoopClock::Time;

    /// The configurations of one call of the worker's compiler.
    using Batch = std::vector<std::string>;

    /// The worker has begun its tuning.
    explicit WorkerSteps(Time began) : since_(began) {}

    /// Any message is a sign of life, unless a candidate runs: that has a limit of its own.
    void hear(Time now);

    /// A compiler got a batch, the data is being made, or a candidate is on the device. Returns
    /// false, and does nothing, if no step has this name.
    bool take(const std::string& name, MessageReader& reader, Time now);

    /// Notes that the running candidate has its verdict.
    void end_run(Time now);

    /// Nothing of the worker runs on the device until the next candidate.
    void rest();
    /// Call it at each look at the clock while the worker rests: no limit counts that time.
    void skip_to(Time now) { since_ = now; }
    [[nodiscard]] bool rests() const { return rests_; }

    /// The configuration on the device; empty: none.
    [[nodiscard]] const std::string& running() const { return running_; }

    /// A step that belongs to no candidate; empty: none.
    [[nodiscard]] const std::string& preparing() const { return preparing_; }

    /// All that compilers work on.
    [[nodiscard]] std::set<std::string> compiling() const;

    /// No other candidate has been on the device in this worker.
    [[nodiscard]] bool runs_the_first() const { return ran_ == 1; }

    /// What loading runs belongs to all candidates of the code that is loaded.
    [[nodiscard]] bool loads_code_of_others() const {
        return loading_ && share_code_.contains(running_);
    }

    /// The batches that compilers have had for longer than `limit`.
    [[nodiscard]] std::vector<Batch> overdue_batches(Time now, Time limit) const;
    /// Whether the running candidate takes longer than `limit`.
    [[nodiscard]] bool runs_too_long(Time now, Time limit) const;
    /// Whether nothing runs or compiles, and the last message is older than `limit`.
    [[nodiscard]] bool is_silent(Time now, Time limit) const;

    /// The step under way, if it takes long.
    [[nodiscard]] std::optional<TuneProgress::Wait> long_wait(Time now,
                                                              const WatchLimits& limits) const;

private:
    struct Compile {
        Batch batch;
        Time since;
    };

    void run(const std::string& configuration, bool loading, Time now);

    bool rests_ = false;
    std::string counted_;  ///< the last one in ran_
    std::string preparing_;
    std::string running_;
    int ran_ = 0;                       ///< how many candidates have been on the device
    bool loading_ = false;              ///< the running one has not begun its own work
    std::set<std::string> share_code_;  ///< were compiled together with others
    Time since_;                        ///< the run's begin; while nothing runs, the last message
    std::map<std::int64_t, Compile> compiles_;  ///< by the worker's numbers
};

}  // namespace jitune::internal
