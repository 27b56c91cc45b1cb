// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "dispatch/answer/answers.hpp"
#include "dispatch/answer/dispatch_table.hpp"
#include "dispatch/behind/device_turns.hpp"
#include "dispatch/behind/session_tuner.hpp"
#include "dispatch/behind/tuning_queue.hpp"
#include "dispatch/family.hpp"
#include "dispatch/observe/call_recorder.hpp"
#include "dispatch/work_thread.hpp"
#include "support/time_source.hpp"

namespace jitune::internal {

/// Tunes behind the calls, in one thread of the session. The thread tunes the problems that had no
/// winner, one after the other at their own sizes, puts the winners into the dispatch table, and
/// then finds winners for the sizes around. Under TunePolicy::now calls wait for it. A tuning that
/// no call waits for begins only on an idle GPU, in a worker of low priority. Under
/// TunePolicy::background one process at a time tunes on each device of a machine, and each session
/// also takes the winners that other processes have stored. Thread-safe.
class Background {
public:
    using Clock = TimeSource::Clock;
    using Place = TuningQueue::Place;

    /// All must outlive it. Starts no thread yet.
    Background(std::span<const Family> families, SessionTuner& tuner, Answers& answers,
               DispatchTable& table, CallRecorder& recorder);
    /// As stop().
    ~Background() { stop(); }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// Looks after `answer`, which the table has for the key. Tunes its problem if no winner
    /// answers, and once more on a quiet device if a provisional winner does. Replaces the answer
    /// when the database has another winner. Does nothing for kernels that no worker can make.
    /// Never waits.
    void watch(const DispatchKey& key, const Task& task, const Resolved& answer);

    /// Has the problem tuned, by `until` if that is set. The tuning begins when the earlier tunings
    /// that calls wait for have ended; the thread that tunes begins its own at once. If a search
    /// for sizes around another problem may find a winner that serves these sizes, that search
    /// comes first, and its place is returned. Returns null if the session has ended or has no such
    /// thread. Ignores a stored winner that is `unusable`.
    Place submit(const DispatchKey& key, const Task& task, const Digest& unusable,
                 std::optional<Clock::time_point> until);

    /// As TuningQueue::hurry(), but returns null if no thread would tune the place.
    Place hurry(const DispatchKey& key, std::span<const std::int64_t> sizes);

    /// Who waits for what.
    [[nodiscard]] TuningQueue& queue() { return queue_; }
    [[nodiscard]] const TuningQueue& queue() const { return queue_; }

    /// True in the thread that tunes, which must not wait for another call.
    [[nodiscard]] bool is_own_thread() const { return thread_.is_own(); }

    /// Answers that winners have replaced.
    [[nodiscard]] std::int64_t replaced() const { return replaced_; }

    /// Ends the thread, and the worker with it; the measurements of a tuning under way are kept.
    /// Later calls of watch() do nothing.
    void stop();

private:
    /// Returns `watched`; null if no thread will tune it.
    Place add(const Place& watched);
    /// Looks for news once and tunes once. Returns how long the thread may sleep then. Throws
    /// nothing.
    std::chrono::milliseconds work();
    /// Returns whether it has tuned or raced.
    bool look_and_tune();
    /// Replaces answers if another process has changed the database since the last look.
    void look_for_winners(std::int64_t version);
    void look(Watched& watched, std::int64_t version);
    /// Finds the winners in doubt that this session uses, if there may be new doubts.
    void look_for_doubts(std::int64_t version);
    /// Adds a race of the winner that serves `place`, if it is in doubt.
    void add_race(const Place& place, std::vector<Doubt>& doubts);
    /// Races the first winner in doubt whose device is free; false if there is none.
    bool race_next();
    void race(Watched& watched, const Doubt& doubt);
    /// Puts the stored winner at the task's sizes into the table. `near`: a key of the same problem
    /// at any sizes.
    void serve_stored(const DispatchKey& near, const Task& task);
    /// Works on the first problem that is due and whose device is free; false if there is none.
    bool tune_next();
    [[nodiscard]] bool wants_turn(const Watched& watched, Clock::time_point now);
    [[nodiscard]] bool is_free(const Watched& watched) {
        return watched.is_urgent || turns_.is_free(watched.device, queue_.pending());
    }
    /// `gap`: for a tuning that no call waits for, its turns between calls; must outlive the hooks.
    /// Else nullptr.
    [[nodiscard]] TuneHooks hooks_for(const Watched& watched, const std::atomic<bool>& stop,
                                      CallGap* gap);
    /// True if a tuning that no call waits for may use the device now, beside calls of this
    /// session. Throws if it has given way for too long.
    bool has_turn(const Watched& watched, CallGap& gap);
    /// How long a tuning may take for which a call waits until then.
    [[nodiscard]] std::chrono::milliseconds limit_of(std::optional<Clock::time_point> until) const;
    void tune(Watched& watched);
    /// Finds winners for the sizes around those that it has tuned.
    void widen(Watched& watched);
    /// Call it in the handler of `error`. `may_pass`: a later try may succeed.
    void fail(Watched& watched, const std::exception& error, bool may_pass);
    void replace(Watched& watched, const Task& task, std::unique_ptr<const Resolved> answer,
                 std::shared_ptr<const OwnTuning> own = nullptr);
    /// Calls `work` with the task, whose kernel it makes.
    template <class Work>
    void with_task(const Watched& watched, const Work& work);

    const Options& options_;
    const Log& log_;
    const std::span<const Family> families_;
    SessionTuner& tuner_;
    Answers& answers_;
    DispatchTable& table_;
    CallRecorder& recorder_;
    const TimeSource& time_;
    TuningQueue queue_;
    std::atomic<std::int64_t> replaced_{0};
    std::stop_source end_;                     ///< stops compilers; after the queue
    std::atomic<bool> has_new_winner_{false};  ///< in the queue

    // Only the thread uses these.
    DeviceTurns turns_;
    std::optional<std::int64_t> doubts_version_;  ///< of the database
    std::vector<std::pair<Place, Doubt>> races_;  ///< to come
    std::vector<Doubt> lost_races_;               ///< races that could not be run

    WorkThread thread_;
};

template <class Work>
void Background::with_task(const Watched& watched, const Work& work) {
    if (watched.spec.empty()) {
        return work(Task{watched.device, *watched.kernel, watched.problem});
    }
    const Kernel kernel = make_kernel(families_, watched.spec);
    work(Task{watched.device, kernel, watched.problem});
}

}  // namespace jitune::internal
