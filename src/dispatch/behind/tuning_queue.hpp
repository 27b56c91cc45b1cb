// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dispatch/answer/dispatch_table.hpp"
#include "dispatch/behind/range_tuning.hpp"
#include "jitune/options.hpp"
#include "support/time_source.hpp"
#include "template/kernel.hpp"
#include "template/problem.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// A problem without a winner, or one whose winner others may better. TuningQueue changes it.
struct Watched {
    DispatchKey key;
    Device& device;
    /// The kernel is made again from its spec for each tuning, because its owner may be gone then.
    /// A kernel without a spec lives as long as the session.
    std::vector<std::string> spec;
    const Kernel* kernel;
    Problem problem;
    Digest winner;  ///< Resolved::winner, or a stored winner that cannot be loaded
    bool wants_tuning;
    std::shared_ptr<const OwnTuning> own = nullptr;  ///< around which winners are to be found
    bool is_provisional = false;          ///< its winner is to be tuned again on a quiet machine
    std::atomic<bool> is_urgent = false;  ///< a call waits for it, and is told of errors
    std::optional<TimeSource::Clock::time_point> until = {};  ///< how long that call waits
    std::optional<TuneProgress::Incumbent> incumbent = {};
    int failures = 0;
    TimeSource::Clock::time_point due = {};  ///< of the next try
    std::exception_ptr error = {};           ///< of the last try
    /// The version of the database at the last look for a winner. Only the thread that tunes uses
    /// it.
    std::optional<std::int64_t> seen_version = {};
};

/// The problems that a session looks after behind its calls: which of them wait for a tuning, in
/// which order, and which of them calls wait for. One thread tunes them. Thread-safe.
class TuningQueue {
public:
    using Clock = TimeSource::Clock;
    using Place = std::shared_ptr<Watched>;

    /// The clock must outlive it.
    TuningQueue(TunePolicy policy, const TimeSource& time) : policy_(policy), time_(time) {}

    // Calls use these.

    /// False if the queue has been stopped.
    bool add(const Place& place);

    /// Moves the waiting tuning of these sizes to the front, also on a busy GPU, and returns its
    /// place. Returns null if none waits.
    Place hurry(const DispatchKey& key, std::span<const std::int64_t> sizes);

    /// If the search around another place's sizes may find a winner for the wanted ones, makes that
    /// search the next one and returns its place; else null. A tuning that no call waits for gives
    /// way.
    Place hurry_around(const Watched& wanted);

    /// True if the problem of these sizes waits for a tuning or is being tuned.
    [[nodiscard]] bool is_pending(const DispatchKey& key,
                                  std::span<const std::int64_t> sizes) const;
    /// Problems that wait for a tuning, with the one under way.
    [[nodiscard]] std::int64_t pending() const;

    /// The result of wait(). With neither a winner nor an error, the time was over, and the tuning
    /// goes on.
    struct Outcome {
        bool is_tuned = false;                             ///< the table has the winner
        std::exception_ptr error;                          ///< of a failed try to tune
        std::optional<TuneProgress::Incumbent> incumbent;  ///< of the tuning under way
    };
    /// Waits until the place's problem is tuned, a try has failed, or the time is `until`. The
    /// caller must report the error of a failed try. `place` is not null.
    Outcome wait(const Place& place, std::optional<Clock::time_point> until);

    /// Says that no call waits for the place any more: other tunings may come first, and errors are
    /// logged.
    void relax(const Place& place);

    /// Ends the tries for the problem.
    void forget(const Watched& watched);

    /// Ends all waits.
    void stop();
    [[nodiscard]] const std::atomic<bool>& stopped() const { return stop_; }

    // The thread that tunes uses these.

    /// Whether a tuning or a search around some sizes waits.
    [[nodiscard]] bool has_work() const;

    /// All places: those that calls wait for first, then those that have waited longest.
    [[nodiscard]] std::vector<Place> all() const;
    [[nodiscard]] bool holds(const Watched& watched) const;

    /// What a place needs at the beginning of its turn.
    struct Turn {
        bool is_urgent = false;
        std::optional<Clock::time_point> until;
        std::shared_ptr<const OwnTuning> own;
    };
    Turn begin(const Watched& watched);
    /// As begin(), for the search around the place's sizes.
    Turn begin_around(const Watched& watched);

    /// True if a tuning that no call waits for is to end: the session ends, a call waits for
    /// another tuning, or calls use its device.
    [[nodiscard]] const std::atomic<bool>& gives_way() const { return gives_way_; }
    void give_way() { gives_way_ = true; }

    /// What a turn has come to.
    void note_incumbent(Watched& watched, const std::optional<TuneProgress::Incumbent>& incumbent);
    void put_off(Watched& watched);
    void fail(Watched& watched, bool again, const std::exception_ptr& error);
    void end_around(Watched& watched, bool is_done);
    /// The table has a new answer for the place; `own`: around which winners are to be found, or
    /// null. Calls for other sizes that the replaced answers served find no answer, and their
    /// problems come here again.
    void answer(Watched& watched, const Resolved& answer, std::shared_ptr<const OwnTuning> own);
    void tune_again(Watched& watched);
    /// No problem is ever tuned, for this reason.
    void refuse_all(const std::exception_ptr& error);

private:
    // The caller holds mutex_ for these.

    /// The place of these sizes if it wants a tuning, else null.
    [[nodiscard]] Place pending_at(const DispatchKey& key,
                                   std::span<const std::int64_t> sizes) const;
    /// The place around whose sizes winners are to be found that may serve the wanted ones, or
    /// null.
    [[nodiscard]] Place around(const Watched& wanted) const;
    /// The order in which places are worked on.
    [[nodiscard]] int rank(const Watched& watched) const;
    void erase(const Watched& watched);

    const TunePolicy policy_;
    const TimeSource& time_;
    std::atomic<bool> stop_{false}, gives_way_{false};

    mutable std::mutex mutex_;  ///< of what follows
    std::condition_variable tried_;
    std::vector<Place> places_;
    const Watched* widened_ = nullptr;  ///< the winners around its sizes are being searched
};

}  // namespace jitune::internal
