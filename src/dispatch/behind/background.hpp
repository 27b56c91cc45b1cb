// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dispatch/answer/answers.hpp"
#include "dispatch/answer/dispatch_table.hpp"
#include "dispatch/behind/call_gap.hpp"
#include "dispatch/behind/idle_watch.hpp"
#include "dispatch/behind/winner_race.hpp"
#include "dispatch/family.hpp"
#include "dispatch/observe/call_recorder.hpp"
#include "dispatch/session_store.hpp"
#include "support/file_lock.hpp"
#include "support/time_source.hpp"

namespace jitune::internal {

class Isolation;

/// What happens behind the calls: a thread of its own tunes the problems that had no winner, one
/// after the other at their own sizes, puts the winners into the dispatch table, and then finds
/// winners for the sizes around. Under TunePolicy::now calls wait for it. What no call waits for
/// begins on an idle GPU alone and runs in workers of low priority. Under TunePolicy::background it
/// tunes on each device of a machine in one process at a time, and also takes the winners that
/// other processes have stored. Thread-safe.
class Background {
public:
    /// Engine::race().
    using Race = std::function<RaceReport(const Task&, const Doubt&, const TuneHooks&)>;

    /// All must outlive it. Starts no thread yet.
    Background(const Options& options, const Log& log, std::span<const Family> families,
               SessionStore& store, Answers& answers, const Isolation& isolation,
               DispatchTable& table, CallRecorder& recorder, Race race,
               const TimeSource& time = kMachineTime)
        : options_(options),
          log_(log),
          families_(families),
          store_(store),
          answers_(answers),
          isolation_(isolation),
          table_(table),
          recorder_(recorder),
          race_(std::move(race)),
          time_(time) {}
    /// As stop().
    ~Background() { stop(); }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// Looks after `answer`, which the table has for the key: tunes its problem unless it is a
    /// winner's, again once the device is quiet where that is provisional, and replaces it when the
    /// database has another winner. Does nothing for kernels that no worker can make. Never waits.
    void watch(const DispatchKey& key, const Task& task, const Resolved& answer);

    using Clock = TimeSource::Clock;
    struct Watched;

    /// A problem that is being tuned, for wait().
    using Place = std::shared_ptr<Watched>;

    /// Has the problem tuned until then (nothing: for as long as it takes), as soon as the tunings
    /// before it that calls wait for have ended; at once, in a call by the thread that tunes. Where
    /// winners for the sizes around others are to come that may serve these, those come first, and
    /// the place is theirs. Null where the session has ended or has no such thread. Ignores a
    /// stored winner that is `unusable`.
    Place submit(const DispatchKey& key, const Task& task, const Digest& unusable,
                 std::optional<Clock::time_point> until);

    /// The problem of these sizes, if it waits for a tuning, which then is the next one and asks
    /// for no idle GPU; else null.
    Place hurry(const DispatchKey& key, std::span<const std::int64_t> sizes);

    /// Whether the problem of these sizes waits for a tuning, or is being tuned.
    [[nodiscard]] bool is_pending(const DispatchKey& key,
                                  std::span<const std::int64_t> sizes) const;

    /// What wait() has waited for. Neither: the time was over, and the tuning goes on.
    struct Outcome {
        bool is_tuned = false;                             ///< the table has the winner
        std::exception_ptr error;                          ///< of a try to tune that failed
        std::optional<TuneProgress::Incumbent> incumbent;  ///< of the tuning under way
    };
    /// Waits until the problem of a place that is not null is tuned, a try has failed, which the
    /// caller is to report, or the time is `until`.
    Outcome wait(const Place& place, std::optional<Clock::time_point> until);

    /// The caller of wait() has ended waiting: others may come first, and errors are logged.
    void relax(const Place& place);

    /// No more tries for the problem.
    void give_up(const Place& place);

    /// Whether the calling thread is the one that tunes. It must wait for no other call.
    [[nodiscard]] bool is_own_thread() const { return id_ == std::this_thread::get_id(); }

    /// Problems that wait for a tuning, with the one under way.
    [[nodiscard]] std::int64_t pending() const { return pending_; }
    /// Answers that winners have replaced.
    [[nodiscard]] std::int64_t replaced() const { return replaced_; }

    /// Ends the thread, and the worker with it; the measurements of a tuning under way are kept.
    /// Later calls of watch() do nothing.
    void stop();

private:
    static constexpr std::chrono::milliseconds kTurnGlance{100};  ///< between looks for idleness

    /// Returns `watched`; null where no thread will tune it.
    Place add(const Place& watched);
    void start();
    void serve();
    /// One look and one tuning. Throws nothing.
    void work();
    /// Replaces answers where another process has changed the database since the last look.
    void look_for_winners(std::int64_t version);
    void look(Watched& watched, std::int64_t version);
    /// Finds the winners in doubt that this session uses, where there may be new ones.
    void look_for_doubts(std::int64_t version);
    /// A race of the winner that serves `place`, if it is one of those in doubt.
    void add_race(const Place& place, std::vector<Doubt>& doubts);
    /// Races the first winner in doubt whose device is free; false where there is none.
    bool race_next();
    void race(Watched& watched, const Doubt& doubt);
    /// Puts the stored winner at the task's sizes into the table. `near`: a key of the same problem
    /// at any sizes.
    void serve_stored(const DispatchKey& near, const Task& task);
    /// Works on the first problem that is due and whose device is free.
    void tune_next();
    /// False, with one warning under TunePolicy::background, where a tuning of low priority has no
    /// worker.
    bool has_worker();
    /// `gap`: of a tuning that no call waits for, which must outlive the hooks; else nullptr.
    [[nodiscard]] TuneHooks hooks_for(const Watched& watched, const std::atomic<bool>& stop,
                                      CallGap* gap);
    /// Whether a tuning that no call waits for may use the device, beside calls of this session.
    /// Throws where it has given way for too long.
    bool has_turn(const Watched& watched, CallGap& gap);
    void tune(Watched& watched);
    /// Finds winners for the sizes around those that it has tuned.
    void widen(Watched& watched);
    /// The place whose winners around its own sizes may serve the wanted ones, for which these come
    /// next; else null. What no call waits for gives way.
    Place hurry_around(const Watched& wanted);
    /// In the handler of `error`, which another time may not have.
    void fail(Watched& watched, const std::exception& error, bool may_pass);
    void forget(const Watched& watched);
    /// The place of these sizes if it wants a tuning, else null. Under mutex_.
    [[nodiscard]] Place pending_at(const DispatchKey& key,
                                   std::span<const std::int64_t> sizes) const;
    void replace(Watched& watched, const Task& task, std::unique_ptr<const Resolved> answer,
                 std::shared_ptr<const OwnTuning> own = nullptr);
    /// In what order places are worked on: those that calls wait for first.
    [[nodiscard]] int rank(const Watched& watched) const;
    /// Calls `work` with the task, whose kernel it makes.
    template <class Work>
    void with_task(const Watched& watched, const Work& work);
    /// Whether the problem has a provisional winner and its device is quiet now.
    bool is_worth_another_try(const Watched& watched);
    /// Whether the device has been idle for a while, or may be busy.
    bool is_free(const Watched& watched);
    /// Lets one process at a time tune on the device in the background; null where the system has
    /// no such lock.
    std::unique_ptr<FileLock>& lock_of(const DeviceInfo& device);
    /// False where another process has it, for less than a minute.
    bool take(std::unique_ptr<FileLock>& lock);
    /// In their order.
    std::vector<Place> all();
    void count_pending();

    const Options& options_;
    const Log& log_;
    const std::span<const Family> families_;
    SessionStore& store_;
    Answers& answers_;
    const Isolation& isolation_;
    DispatchTable& table_;
    CallRecorder& recorder_;
    const Race race_;
    const TimeSource& time_;
    std::atomic<std::int64_t> pending_{0}, replaced_{0};
    std::atomic<bool> stop_{false};
    /// A tuning that no call waits for is to end: the session ends, a call waits for another
    /// tuning, or calls use its device.
    std::atomic<bool> gives_way_{false};
    std::stop_source end_;                     ///< stops compilers; after stop_
    std::atomic<bool> has_new_winner_{false};  ///< in watched_

    mutable std::mutex mutex_;  ///< of what follows; not held while tuning
    std::condition_variable wake_, tried_;
    const Watched* widened_ = nullptr;  ///< by widen(), now
    std::vector<Place> watched_;
    bool has_news_ = false;
    std::thread thread_;
    std::atomic<std::thread::id> id_{};  ///< of thread_

    // Of the thread alone.
    std::optional<bool> has_worker_;
    std::optional<std::int64_t> doubts_version_;              ///< of the database
    std::vector<std::pair<Place, Doubt>> races_;              ///< to come
    std::vector<Doubt> lost_races_;                           ///< that could not be run
    std::map<std::string, std::unique_ptr<FileLock>> locks_;  ///< by device
    std::set<std::filesystem::path> overruled_;               ///< locks, as was logged
    std::map<const Device*, IdleWatch> uses_;
    std::set<const Device*> warned_of_;                      ///< never idle, or not known to be
    std::map<const Device*, Clock::time_point> busy_until_;  ///< not asked again before
};

/// A problem without a winner, or one whose winner others may better.
struct Background::Watched {
    DispatchKey key;
    Device& device;
    /// Made again from its spec for each tuning, since its owner may be gone then. One without a
    /// spec lives as long as the session.
    std::vector<std::string> spec;
    const Kernel* kernel;
    Problem problem;
    Digest winner;  ///< Resolved::winner, or one that is of no use here
    bool wants_tuning;
    std::shared_ptr<const OwnTuning> own = nullptr;  ///< around which winners are to be found
    bool is_provisional = false;          ///< its winner deserves_another_try() on a quiet machine
    std::atomic<bool> is_urgent = false;  ///< a call waits for it, and is told of errors
    std::optional<Clock::time_point> until = {};  ///< how long that call waits
    std::optional<TuneProgress::Incumbent> incumbent = {};
    int failures = 0;
    Clock::time_point due = {};     ///< of the next try
    std::exception_ptr error = {};  ///< of the last try
    /// Of the database, at the last look for a winner. Of the thread alone.
    std::optional<std::int64_t> seen_version = {};
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
