// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "dispatch/dispatch_table.hpp"
#include "dispatch/session_store.hpp"
#include "tuner_db/miss.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// Records in the database which problems calls have no winner for, and about how often these are
/// called, by a thread of its own: a new problem within about a second, so that little is lost with
/// a process that is killed, and numbers of calls every ten seconds. Thread-safe.
class MissRecorder {
public:
    /// All must outlive it, and so must the answers. Starts no thread yet.
    MissRecorder(const Options& options, const Log& log, SessionStore& store)
        : options_(options), log_(log), store_(store) {}
    /// As stop().
    ~MissRecorder() { stop(); }
    MissRecorder(const MissRecorder&) = delete;
    MissRecorder& operator=(const MissRecorder&) = delete;

    /// Takes note of the answer to a call. Ignores winners, pinned configurations and kernels that
    /// no other process can make. Never waits for the database.
    void note(const Task& task, const Resolved& answer);

    /// Ends the thread, and records what is left. Later calls of note() do nothing.
    void stop();

private:
    struct Noted {
        Miss miss;  ///< with no calls
        const Resolved* answer;
        std::int64_t recorded = 0;  ///< of the answer's calls
    };

    void start();
    void serve();
    /// Records the calls since the last time. Throws nothing.
    void record();
    void record_new();

    const Options& options_;
    const Log& log_;
    SessionStore& store_;

    std::mutex mutex_;  ///< of what follows; not held while the database is used
    std::condition_variable wake_;
    std::vector<Noted> noted_;
    bool has_news_ = false;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace jitune::internal
