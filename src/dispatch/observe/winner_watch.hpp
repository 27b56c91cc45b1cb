// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/answer/dispatch_table.hpp"
#include "dispatch/observe/served_times.hpp"
#include "dispatch/session_store.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// Watches the stored winners that a session uses: times a few of their calls, and doubts those
/// that take longer than the database says or that were tuned with another driver. In a session it
/// doubts each answer once. Thread-safe but for judge().
class WinnerWatch {
public:
    /// At most one call in so many is timed, of each thread's calls of one problem.
    static constexpr std::uint32_t kCallsPerSample = 10'000;

    /// All must outlive it, and so must the answers that it notes and their devices.
    WinnerWatch(const Options& options, const Log& log, SessionStore& store)
        : options_(options), log_(log), store_(store) {}

    /// Has the answer's calls timed from now on, if it is a winner that Options::watch_winners
    /// lets watch, and returns whether it is. Never waits for the database.
    bool note(const Task& task, const Resolved& answer);

    /// Launches a call of an answer that is watched at these sizes, with the errors of `launch`,
    /// and times it if it can.
    void launch(const Resolved& answer, std::span<const std::int64_t> sizes,
                const ReadyLaunch& launch, void* const* arrays, Stream stream);

    /// Returns new doubts, from the times since the last call of judge(). Reads the database. For
    /// one thread at a time. Throws nothing but std::bad_alloc.
    std::vector<Doubt> judge();

    /// Calls that were timed, or tried to be.
    [[nodiscard]] std::int64_t sampled() const { return sampled_; }
    /// Answers in doubt.
    [[nodiscard]] std::int64_t doubted() const { return doubted_; }

private:
    struct Watched {
        const Resolved* answer;
        Doubt doubt;  ///< its winner, kernel and device, before there is a doubt
        Sizes sizes;  ///< of the first call
        std::vector<std::string> size_names;
        LaunchTimer* timer = nullptr;  ///< nullptr: none
        bool is_doubted = false;
    };
    /// Calls of one answer at the same sizes.
    struct Place {
        Watched* watched;
        Sizes sizes;
        ServedTimes times = {};
        bool is_known = false;  ///< whether `most_ns` was looked up
        std::optional<double> most_ns = {};
    };

    /// The device's timer, which is made at the first call; nullptr if the device cannot time
    /// single calls. Under mutex_.
    LaunchTimer* timer_of(Device& device);
    /// The number of a place, which is made if there is none; nothing if there are too many.
    std::optional<std::size_t> place_of(Watched& watched, std::span<const std::int64_t> sizes);
    /// Adds the times that the timers have; returns places with more of them to judge.
    std::vector<Place*> take_times();
    /// The row that the answer was made from, if it is still stored.
    std::optional<Winner> row_of(const Watched& watched, const Sizes& sizes);
    void judge(Place& place);
    void doubt(Watched& watched, const Winner& row, const char* reason, const Sizes& sizes);

    const Options& options_;
    const Log& log_;
    SessionStore& store_;
    std::atomic<std::int64_t> sampled_{0}, doubted_{0};

    std::mutex mutex_;  ///< of what follows; not held while a call, a timer or the database is used
    std::map<const Device*, std::unique_ptr<LaunchTimer>> timers_;
    std::map<const Resolved*, Watched> watched_;
    std::vector<Watched*> of_other_driver_;  ///< of watched_: to be judged once
    std::deque<Place> places_;
    std::map<std::pair<const Resolved*, Sizes>, std::size_t> numbers_;  ///< of places_

    // Only the thread that judges uses these.
    std::vector<Doubt> doubts_;
    bool has_warned_ = false;
};

}  // namespace jitune::internal
