// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "dispatch/answer/dispatch_table.hpp"
#include "dispatch/observe/call_counts.hpp"
#include "dispatch/observe/winner_watch.hpp"
#include "dispatch/session_store.hpp"
#include "dispatch/work_thread.hpp"
#include "jitune/session.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// Writes to the database what calls leave behind, by a thread of its own: what Options::record
/// says of them, which of them had to wait, which winners are in doubt, and the code that had to be
/// compiled. A new problem and new code within about a second, so that little is lost with a
/// process that is killed, and numbers of calls and pauses every ten seconds. Thread-safe.
class CallRecorder {
public:
    /// All must outlive it, and so must the answers. Starts no thread yet.
    CallRecorder(const Options& options, const Log& log, SessionStore& store, WinnerWatch& watch);
    /// As stop().
    ~CallRecorder() { stop(); }
    CallRecorder(const CallRecorder&) = delete;
    CallRecorder& operator=(const CallRecorder&) = delete;

    /// Takes note of the answer to a call, and has a winner watched. Under
    /// Record::misses it ignores winners; of a miss it ignores pinned configurations and kernels
    /// that no other process can make. Never waits for the database.
    void note(const Task& task, const Resolved& answer);

    /// Takes note that a call of the task has `waited` for `answer`. Shorter waits than kPause are
    /// none.
    void note_pause(const Task& task, const Resolved& answer, std::chrono::nanoseconds waited);
    static constexpr std::chrono::milliseconds kPause{1};

    /// Fills in the pauses of `counters`.
    void report(Counters& counters) const;

    /// True if doubts have been recorded since the last call of take_doubts().
    bool take_doubts() { return has_doubts_.exchange(false); }

    /// Has the code kept, also if no calls are recorded, but not under Options::frozen. Never waits
    /// for the database.
    void keep(KeptBinary binary);

    /// Ends the thread, and records what is left. Later calls of note() and keep() do nothing.
    void stop();

private:
    /// What is known of an answer.
    struct Noted {
        CallRecord use;  ///< of the first call's sizes, with no calls
        std::vector<std::string> size_names;
        std::string kernel_spec;         ///< of a miss; empty: a winner answered
        std::int64_t recorded = 0;       ///< of the answer's calls
        std::int64_t recorded_here = 0;  ///< of the calls that the answer counts itself
        std::int64_t counted = 0;        ///< what exact sizes count; for take_new() alone
    };

    [[nodiscard]] bool is_recorded() const {
        return options_.record != Record::nothing && !options_.database.empty();
    }
    void add(const Task& task, const Resolved& answer, bool is_miss);
    /// Records the calls and keeps the code since the last time. Throws nothing.
    void record();
    /// Records what the database has refused at the last try, else what is new. Returns true if
    /// there may be more.
    bool record_some();
    /// Moves what calls have left since the last time into `unrecorded_` and `unkept_`.
    void take_new();
    /// The same of the calls that exact sizes count.
    void take_counts();
    /// The same of the calls that an answer counts itself, and of a miss of both.
    void take_noted(const Resolved& answer, Noted& noted);
    /// So many calls more than `first` has.
    void take_calls(CallRecord first, std::int64_t calls);

    const Options& options_;
    const Log& log_;
    SessionStore& store_;
    WinnerWatch& watch_;
    std::atomic<bool> has_doubts_{false};
    CallCounts counts_;

    mutable std::mutex mutex_;  ///< of what follows; not held while the database is used
    std::unordered_map<const Resolved*, Noted> noted_;
    std::vector<KeptBinary> binaries_;     ///< to be kept
    std::map<sqlite::Row, Pause> pauses_;  ///< by Pause::place(): those that are not recorded yet
    std::int64_t pause_count_ = 0;
    std::chrono::nanoseconds longest_pause_{0};
    std::string longest_pause_of_;
    bool stop_ = false;

    // Only the thread that records uses these.
    CallReport unrecorded_;              ///< also what the database has refused at the last try
    std::vector<KeptBinary> unkept_;     ///< likewise
    std::set<sqlite::Row> places_told_;  ///< CallRecord::place() of what has counted this session

    WorkThread thread_;
};

}  // namespace jitune::internal
