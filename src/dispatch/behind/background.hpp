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

/// Tunes behind the calls, in one thread of the session. The thread tunes the problems that had no
/// winner, one after the other at their own sizes, puts the winners into the dispatch table, and
/// then finds winners for the sizes around. Under TunePolicy::now calls wait for it. A tuning that
/// no call waits for begins only on an idle GPU, in a worker of low priority. Under
/// TunePolicy::background one process at a time tunes on each device of a machine, and each session
/// also takes the winners that other processes have stored. Thread-safe.
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

    /// Looks after `answer`, which the table has for the key. Tunes its problem if no winner
    /// answers, and once more on a quiet device if a provisional winner does. Replaces the answer
    /// when the database has another winner. Does nothing for kernels that no worker can make.
    /// Never waits.
    void watch(const DispatchKey& key, const Task& task, const Resolved& answer);

    using Clock = TimeSource::Clock;
    struct Watched;

    /// A problem that is being tuned, for wait().
    using Place = std::shared_ptr<Watched>;

    /// Has the problem tuned, by `until` if that is set. The tuning begins when the earlier tunings
    /// that calls wait for have ended; the thread that tunes begins its own at once. If a search
    /// for sizes around another problem may find a winner that serves these sizes, that search
    /// comes first, and its place is returned. Returns null if the session has ended or has no such
    /// thread. Ignores a stored winner that is `unusable`.
    Place submit(const DispatchKey& key, const Task& task, const Digest& unusable,
                 std::optional<Clock::time_point> until);

    /// Moves the waiting tuning of these sizes to the front, also on a busy GPU, and returns its
    /// place. Returns null if none waits.
    Place hurry(const DispatchKey& key, std::span<const std::int64_t> sizes);

    /// True if the problem of these sizes waits for a tuning or is being tuned.
    [[nodiscard]] bool is_pending(const DispatchKey& key,
                                  std::span<const std::int64_t> sizes) const;

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
    void give_up(const Place& place);

    /// True in the thread that tunes, which must not wait for another call.
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

    /// Returns `watched`; null if no thread will tune it.
    Place add(const Place& watched);
    void start();
    void serve();
    /// Looks for news once and tunes once. Throws nothing.
    void work();
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
    /// Works on the first problem that is due and whose device is free.
    void tune_next();
    /// False, with one warning under TunePolicy::background, where a tuning of low priority has no
    /// worker.
    bool has_worker();
    /// `gap`: for a tuning that no call waits for, its turns between calls; must outlive the hooks.
    /// Else nullptr.
    [[nodiscard]] TuneHooks hooks_for(const Watched& watched, const std::atomic<bool>& stop,
                                      CallGap* gap);
    /// True if a tuning that no call waits for may use the device now, beside calls of this
    /// session. Throws if it has given way for too long.
    bool has_turn(const Watched& watched, CallGap& gap);
    void tune(Watched& watched);
    /// Finds winners for the sizes around those that it has tuned.
    void widen(Watched& watched);
    /// If the search around another place's sizes may find a winner for the wanted ones, makes that
    /// search the next one and returns its place; else null. A tuning that no call waits for gives
    /// way.
    Place hurry_around(const Watched& wanted);
    /// Call it in the handler of `error`. `may_pass`: a later try may succeed.
    void fail(Watched& watched, const std::exception& error, bool may_pass);
    void forget(const Watched& watched);
    /// The place of these sizes if it wants a tuning, else null. The caller holds mutex_.
    [[nodiscard]] Place pending_at(const DispatchKey& key,
                                   std::span<const std::int64_t> sizes) const;
    void replace(Watched& watched, const Task& task, std::unique_ptr<const Resolved> answer,
                 std::shared_ptr<const OwnTuning> own = nullptr);
    /// The order in which places are worked on; places that calls wait for come first.
    [[nodiscard]] int rank(const Watched& watched) const;
    /// Calls `work` with the task, whose kernel it makes.
    template <class Work>
    void with_task(const Watched& watched, const Work& work);
    /// True if the problem's winner is provisional and its device is quiet now.
    bool is_worth_another_try(const Watched& watched);
    /// True if the device is idle, or if the tuning may run on a busy device.
    bool is_free(const Watched& watched);
    /// The lock by which one process at a time tunes on the device in the background; null if the
    /// system has no such lock.
    std::unique_ptr<FileLock>& lock_of(const DeviceInfo& device);
    /// Takes the lock. False while another process holds it, for at most a minute.
    bool take(std::unique_ptr<FileLock>& lock);
    /// All places, in the order of rank().
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

    // Only the thread uses these.
    std::optional<bool> has_worker_;
    std::optional<std::int64_t> doubts_version_;              ///< of the database
    std::vector<std::pair<Place, Doubt>> races_;              ///< to come
    std::vector<Doubt> lost_races_;                           ///< races that could not be run
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
    std::optional<Clock::time_point> until = {};  ///< how long that call waits
    std::optional<TuneProgress::Incumbent> incumbent = {};
    int failures = 0;
    Clock::time_point due = {};     ///< of the next try
    std::exception_ptr error = {};  ///< of the last try
    /// The version of the database at the last look for a winner. Only the thread uses it.
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
