// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "dispatch/answers.hpp"
#include "dispatch/dispatch_table.hpp"
#include "dispatch/family.hpp"
#include "dispatch/session_store.hpp"
#include "support/file_lock.hpp"

namespace jitune::internal {

/// What TunePolicy::background does behind the calls: a thread of its own tunes the problems that
/// had no winner, one after the other, in workers of low priority, and replaces the answers of the
/// dispatch table by winners that this process or another one has stored. On each device of a
/// machine one process at a time tunes in the background. Thread-safe.
class Background {
public:
    /// All must outlive it. Starts no thread yet.
    Background(const Options& options, const Log& log, std::span<const Family> families,
               SessionStore& store, Answers& answers, DispatchTable& table)
        : options_(options),
          log_(log),
          families_(families),
          store_(store),
          answers_(answers),
          table_(table) {}
    /// As stop().
    ~Background() { stop(); }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// Looks after `answer`, which the table has for the key: tunes its problem unless it is a
    /// winner's, and replaces it when the database has another winner. Does nothing for kernels
    /// that no worker can make. Never waits.
    void watch(const DispatchKey& key, const Task& task, const Resolved& answer);

    /// Problems that wait for a tuning, with the one under way.
    [[nodiscard]] std::int64_t pending() const { return pending_; }
    /// Answers that winners have replaced.
    [[nodiscard]] std::int64_t replaced() const { return replaced_; }

    /// Ends the thread, and the worker with it; the measurements of a tuning under way are kept.
    /// Later calls of watch() do nothing.
    void stop();

private:
    using Clock = std::chrono::steady_clock;

    /// A problem that the table has an answer for.
    struct Watched {
        DispatchKey key;
        Device& device;
        std::vector<std::string> kernel;  ///< Kernel::spec
        Problem problem;
        Digest winner;  ///< Resolved::winner, or one that is of no use here
        bool wants_tuning;
        int failures = 0;
        Clock::time_point due = {};  ///< of the next try
    };
    using Place = std::shared_ptr<Watched>;

    void start();
    void serve();
    /// One look and one tuning. Throws nothing.
    void work();
    /// Replaces answers where another process has changed the database since the last look.
    void look_for_winners();
    void look(Watched& watched);
    /// Tunes the first problem that is due and whose device is free.
    void tune_next();
    void tune(Watched& watched);
    void fail(Watched& watched, const Error& error);
    void replace(Watched& watched, std::unique_ptr<const Resolved> answer);
    /// Calls `work` with the task, whose kernel it makes.
    template <class Work>
    void with_task(const Watched& watched, const Work& work);
    /// Whether the device has been idle for a while, or may be busy.
    bool is_free(Device& device);
    /// Lets one process at a time tune on the device in the background; null where the system has
    /// no such lock.
    std::unique_ptr<FileLock>& lock_of(const DeviceInfo& device);
    /// False where another process has it.
    bool take(std::unique_ptr<FileLock>& lock);
    std::vector<Place> all();
    void count_pending();

    const Options& options_;
    const Log& log_;
    const std::span<const Family> families_;
    SessionStore& store_;
    Answers& answers_;
    DispatchTable& table_;
    std::atomic<std::int64_t> pending_{0}, replaced_{0};
    std::atomic<bool> stop_{false};

    std::mutex mutex_;  ///< of what follows; not held while tuning
    std::condition_variable wake_;
    std::vector<Place> watched_;
    bool has_news_ = false;
    std::thread thread_;

    // Of the thread alone.
    std::optional<std::int64_t> seen_version_;
    std::map<std::string, std::unique_ptr<FileLock>> locks_;          ///< by device
    std::map<const Device*, std::optional<Clock::time_point>> uses_;  ///< idle since; busy
};

}  // namespace jitune::internal
