// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>

#include "backend/device.hpp"
#include "support/time_source.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

struct TuneProgress {
    std::size_t space = 0;      ///< configurations in the search space
    std::size_t evaluated = 0;  ///< with a verdict
    std::size_t failed = 0;     ///< with a verdict other than timed
    std::optional<double> best_ns;

    /// The candidate that would win if the search ended now: the fastest that this search has
    /// checked and timed itself.
    struct Incumbent {
        std::string configuration;
        double ns = 0;
        double default_ns = 0;  ///< 0: the default failed
        Binary binary = {};     ///< what was timed
        /// True if it is faster than the default by more than noise explains, or if the default
        /// failed.
        [[nodiscard]] bool beats_default() const {
            constexpr double kNoise = 1.03;
            return default_ns == 0 || ns * kNoise < default_ns;
        }
    };
    std::optional<Incumbent> incumbent = {};

    /// A step of the worker that takes long.
    struct Wait {
        std::string subject;  ///< "block=64 items=2", or "the compiler of block=64 items=2"
        double seconds = 0;   ///< so far
        double limit_s = 0;   ///< when it will be given up
    };
    std::optional<Wait> wait = {};

    /// The progress of the tuning of a range that this search or comparison belongs to.
    struct Range {
        std::size_t searched = 0;  ///< sizes with a search that has ended
        std::size_t anchors = 0;   ///< sizes to search at
        std::size_t compared = 0;  ///< sizes with a comparison that has ended
        double left_s = 0;         ///< the most that the rest may take
    };
    std::optional<Range> range = {};
};

/// Sees a tuning's steps as they begin, so that it knows what was under way if the tuning ends in
/// the middle. Configurations are given as their texts. Every function does nothing by default.
class TuneObserver {
public:
    virtual ~TuneObserver() = default;

    /// A step begins that belongs to no candidate, such as "making the data of matmul". An empty
    /// text: the step is over.
    virtual void prepare(const std::string& /*step*/) {}

    /// These configurations will be compiled and run; none runs before this function returns.
    virtual void announce(std::span<const std::string> /*configurations*/) {}

    /// A compiler begins to work on `configurations`; compiled() tells its end. Called on the
    /// compiling threads, of which there are many; `batch` tells one call of the compiler from the
    /// others.
    virtual void compiling(std::uint64_t /*batch*/,
                           std::span<const std::string> /*configurations*/) {}
    virtual void compiled(std::uint64_t /*batch*/) {}

    /// The device is about to load, to check or to time this configuration.
    enum class Phase { load, check, time };
    virtual void begin(const std::string& /*configuration*/, Phase /*phase*/) {}

    /// Called after each candidate's run. Returns what the candidate did to this process that harms
    /// later candidates; empty if nothing is seen.
    [[nodiscard]] virtual std::string side_effects() { return {}; }

    /// Nothing runs on the device until the next begin(): its owner needs it.
    virtual void rests() {}

    /// A verdict was given, or a finalist's samples were taken.
    virtual void measured(const Measurement& /*measurement*/) {}
};

inline const std::atomic<bool> kNeverStop{false};
inline TuneObserver kNoObserver;  // without state

/// How a tuning is run, watched and stopped. No pointer is ever null.
struct TuneHooks {
    const std::atomic<bool>* stop = &kNeverStop;  ///< ends the search early once it is true
    /// Called after each verdict, and while a worker keeps the tuning waiting; on the calling
    /// thread.
    std::function<void(const TuneProgress&)> progress = [](const TuneProgress&) {};
    TuneObserver* observer = &kNoObserver;  ///< told of every step
    /// Gives the tuning up, after `stop`: compiles are stopped, and it throws soon, without a
    /// winner.
    std::stop_token given_up = {};
    bool low_priority = false;  ///< runs in a worker of low priority
    /// Returns true if the next candidate may use the device now; see await_turn(). Empty: it
    /// always may. The calling thread asks again and again; an exception ends the tuning.
    std::function<bool()> has_turn = {};
    /// As has_turn, asked before the first candidate at other sizes than the tuning's own. Nothing
    /// of this tuning runs on the device then.
    std::function<bool()> may_compare = {};
    /// How long the tuning has waited for its turns. No budget counts that: see ActiveTime.
    std::shared_ptr<std::chrono::nanoseconds> rested =
        std::make_shared<std::chrono::nanoseconds>(0);
    const TimeSource* time = &kMachineTime;  ///< of budgets and limits
};

/// Waits until the next candidate or round of the finals may use the device, or until the tuning is
/// to stop.
inline void await_turn(const TuneHooks& hooks) {
    constexpr std::chrono::milliseconds kGlance{10};
    const auto may_go = [&] { return !hooks.has_turn || hooks.stop->load() || hooks.has_turn(); };
    if (may_go()) {
        return;
    }
    hooks.observer->rests();
    const auto begin = hooks.time->now();
    do {
        std::this_thread::sleep_for(kGlance);
    } while (!may_go());
    *hooks.rested += hooks.time->now() - begin;
}

/// The time of a tuning, which stands still while it rests. Used by the tuning's thread.
class ActiveTime final : public TimeSource {
public:
    explicit ActiveTime(const TuneHooks& hooks) : time_(*hooks.time), rested_(hooks.rested) {}

    [[nodiscard]] Clock::time_point now() const override { return time_.now() - *rested_; }

private:
    const TimeSource& time_;
    std::shared_ptr<const std::chrono::nanoseconds> rested_;
};

}  // namespace jitune::internal
