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
#include <utility>

#include "backend/device.hpp"
#include "support/time_source.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

struct TuneProgress {
    std::size_t space = 0;      ///< configurations in the search space
    std::size_t evaluated = 0;  ///< with a verdict
    std::size_t failed = 0;     ///< with a verdict other than timed
    std::optional<double> best_ns;

    /// What would win if the search ended now: the fastest that it has checked and timed itself.
    struct Incumbent {
        std::string configuration;
        double ns = 0;
        double default_ns = 0;  ///< 0: the default failed
        Binary binary = {};     ///< what was timed
        /// Whether it is faster than the default by more than noise explains, or the default
        /// failed.
        [[nodiscard]] bool beats_default() const;
    };
    std::optional<Incumbent> incumbent = {};

    /// A step of the worker that takes long.
    struct Wait {
        std::string subject;  ///< "block=64 items=2", or "the compiler of block=64 items=2"
        double seconds = 0;   ///< so far
        double limit_s = 0;   ///< when it will be given up
    };
    std::optional<Wait> wait = {};

    /// How far the tuning of a range is that this search or comparison is a part of.
    struct Range {
        std::size_t searched = 0;  ///< sizes with a search that has ended
        std::size_t anchors = 0;   ///< sizes to search at
        std::size_t compared = 0;  ///< sizes with a comparison that has ended
        double left_s = 0;         ///< the most that the rest may take
    };
    std::optional<Range> range = {};
};

inline bool TuneProgress::Incumbent::beats_default() const {
    constexpr double kNoise = 1.03;
    return default_ns == 0 || ns * kNoise < default_ns;
}

/// Sees a tuning's steps as they begin, so that it knows what was under way if the tuning ends in
/// the middle. Configurations are given as their texts. Every function does nothing by default.
class TuneObserver {
public:
    virtual ~TuneObserver() = default;

    /// What belongs to no candidate begins, such as "making the data of matmul"; empty: it is over.
    virtual void prepare(const std::string& /*step*/) {}

    /// These will be compiled and run; none runs before this returns.
    virtual void announce(std::span<const std::string> /*configurations*/) {}

    /// A compiler begins to work on `configurations`, and later: it has come back. Called on the
    /// compiling threads, of which there are many; `batch` tells one such call from the others.
    virtual void compiling(std::uint64_t /*batch*/,
                           std::span<const std::string> /*configurations*/) {}
    virtual void compiled(std::uint64_t /*batch*/) {}

    /// The device is about to load, to check or to time this configuration.
    enum class Phase { load, check, time };
    virtual void begin(const std::string& /*configuration*/, Phase /*phase*/) {}

    /// After each candidate's run: what it did to this process to the harm of later candidates;
    /// empty: nothing that is seen.
    [[nodiscard]] virtual std::string side_effects() { return {}; }

    /// Nothing runs on the device until the next begin(): its owner needs it.
    virtual void rests() {}

    /// A verdict, or the samples of a finalist.
    virtual void measured(const Measurement& /*measurement*/) {}
};

inline const std::atomic<bool> kNeverStop{false};
inline TuneObserver kNoObserver;  // without state

/// How a tuning is run, watched and stopped. No pointer is ever null.
struct TuneHooks {
    const std::atomic<bool>* stop = &kNeverStop;  ///< ends the search early once it is true
    /// After each verdict, and while a worker keeps the tuning waiting; on the calling thread.
    std::function<void(const TuneProgress&)> progress = [](const TuneProgress&) {};
    TuneObserver* observer = &kNoObserver;  ///< told of every step
    /// Gives the tuning up, after `stop`: compiles are stopped, and it throws soon, without a
    /// winner.
    std::stop_token given_up = {};
    bool low_priority = false;  ///< runs in a worker of low priority
    /// Whether the next candidate may use the device now; see await_turn(). Empty: always. Asked
    /// again and again, by the calling thread; what it throws ends the tuning.
    std::function<bool()> has_turn = {};
    /// The same of the first candidate at other sizes than the tuning's own. Then nothing of this
    /// tuning runs on the device.
    std::function<bool()> may_compare = {};
    /// How long the tuning has waited for its turns. No budget counts that.
    std::shared_ptr<std::chrono::nanoseconds> rested =
        std::make_shared<std::chrono::nanoseconds>(0);
    const TimeSource* time = &kMachineTime;  ///< of budgets and limits
};

/// Waits before a candidate or a round of the finals until that may use the device, or the tuning
/// is to stop.
void await_turn(const TuneHooks& hooks);

/// How long a tuning has rested since the last look.
class RestLook {
public:
    explicit RestLook(std::shared_ptr<const std::chrono::nanoseconds> rested)
        : rested_(std::move(rested)), seen_(*rested_) {}

    std::chrono::nanoseconds operator()() { return *rested_ - std::exchange(seen_, *rested_); }

private:
    std::shared_ptr<const std::chrono::nanoseconds> rested_;
    std::chrono::nanoseconds seen_;
};

}  // namespace jitune::internal
