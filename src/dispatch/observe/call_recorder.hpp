// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dispatch/answer/dispatch_table.hpp"
#include "dispatch/observe/call_counts.hpp"
#include "dispatch/observe/pause_ledger.hpp"
#include "dispatch/observe/winner_watch.hpp"
#include "dispatch/session_store.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// Writes what calls leave behind into the database, in a thread of its own: the calls that
/// Options::record names, the winners in doubt, and the code that had to be compiled. Writes a new
/// problem and new code within about a second, so that a process that is killed loses little;
/// writes numbers of calls and pauses every ten seconds. Thread-safe.
class CallRecorder {
public:
    /// All must outlive it, and so must the answers. Starts no thread yet.
    CallRecorder(const Options& options, const Log& log, SessionStore& store, PauseLedger& pauses,
                 WinnerWatch& watch)
        : options_(options), log_(log), store_(store), pauses_(pauses), watch_(watch) {}
    /// As stop().
    ~CallRecorder() { stop(); }
    CallRecorder(const CallRecorder&) = delete;
    CallRecorder& operator=(const CallRecorder&) = delete;

    /// Takes note of the answer to a call, and has a winner watched. Under
    /// Record::misses it ignores winners; of a miss it ignores pinned configurations and kernels
    /// that no other process can make. Never waits for the database.
    void note(const Task& task, const Resolved& answer);

    /// True if doubts have been recorded since the last call of take_doubts().
    bool take_doubts() { return has_doubts_.exchange(false); }

    /// Has the code kept, also if no calls are recorded, but not under Options::frozen. Never waits
    /// for the database.
    void keep(KeptBinary binary);

    /// Ends the thread, and records what is left. Later calls of note() and keep() do nothing.
    void stop();

private:
    struct Noted {
        const Resolved* answer;
        Usage usage;  ///< of the first call's sizes, with no calls
        std::vector<std::string> size_names;
        std::vector<std::string> spec;  ///< of the kernel, for a miss; empty: a winner answered
        std::string problem;        ///< of a miss, as text: answers that follow each other share it
        std::int64_t recorded = 0;  ///< of the answer's calls
        std::int64_t recorded_here = 0;  ///< of those that the answer counts itself
    };
    /// What one report has told the database, by the place in noted_ and by count.
    struct Told {
        std::size_t place;
        std::int64_t calls, calls_here;
    };
    struct Report {
        CallRecords records;
        std::vector<Told> noted;
        std::vector<std::pair<CallCounts::Count*, std::int64_t>> counts;
        std::unordered_set<std::string> problems;  ///< of the misses
    };

    [[nodiscard]] bool is_recorded() const {
        return options_.record != Record::nothing && !options_.database.empty();
    }
    void add(const Task& task, const Resolved& answer, bool is_miss);
    void start();
    void serve();
    /// Records the calls and keeps the code since the last time. Throws nothing.
    void record();
    void record_new();
    void keep_new();
    Report report();
    /// Adds the calls that exact sizes count; returns the calls of each answer.
    std::unordered_map<const Resolved*, std::int64_t> add_counts(Report& report);
    void add_noted(Report& report, std::size_t place, std::int64_t counted);
    void remember(const Report& report);

    const Options& options_;
    const Log& log_;
    SessionStore& store_;
    PauseLedger& pauses_;
    WinnerWatch& watch_;
    std::atomic<bool> has_doubts_{false};
    CallCounts counts_;

    std::mutex mutex_;  ///< of what follows; not held while the database is used
    std::condition_variable wake_;
    std::vector<Noted> noted_;
    std::vector<KeptBinary> binaries_;                         ///< to be kept
    std::unordered_map<const Resolved*, std::size_t> places_;  ///< in noted_
    std::unordered_set<std::string> problems_;  ///< of misses that this session has recorded
    bool has_news_ = false;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace jitune::internal
