// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/launch_timer.hpp"
#include "dispatch/call_probe.hpp"
#include "dispatch/challenger.hpp"
#include "dispatch/dispatch_table.hpp"
#include "dispatch/family.hpp"
#include "dispatch/paired_tries.hpp"
#include "dispatch/session_store.hpp"
#include "tuner_db/exploration.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// Tries other configurations inside calls that stored winners serve, under
/// Options::explore_share: those that stored times put near the winner. The call has its result
/// from the winner alone; the other one computes it a second time into memory of its own, and both
/// are timed and compared. Thread-safe but for work().
class Explorer final : public CallProbe {
public:
    using Clock = std::chrono::steady_clock;

    /// The answer of a task with a pinned configuration.
    using Make = std::function<std::unique_ptr<const Resolved>(const Task&)>;

    /// All must outlive it, and so must the answers that it notes and their devices.
    Explorer(const Options& options, const Log& log, std::span<const Family> families,
             SessionStore& store, Make make)
        : options_(options),
          log_(log),
          families_(families),
          store_(store),
          make_(std::move(make)) {}

    /// Explores calls of the answer from now on, if it is a sure winner that another process could
    /// tune, too, and its outputs can be computed twice. Returns whether it does. Never waits for
    /// the database.
    bool note(const Task& task, const Resolved& answer);

    /// Tries a challenger beside the call, where one is ready and its time is within the share.
    void launch(const Resolved& answer, std::span<const std::int64_t> sizes, std::int64_t calls,
                const ReadyLaunch& launch, void* const* arrays, Stream stream) override;

    /// Learns from the tries that have ended, and makes challengers ready: that may compile.
    /// Returns whether take() has a doubt. For one thread at a time. Throws nothing but
    /// std::bad_alloc.
    bool work();

    /// Learns from the tries that have ended, and no more. For the thread of work(), or after it.
    void learn();

    /// Whether calls have made tries within the last second, so that work() should come soon.
    [[nodiscard]] bool is_busy() const {
        return Clock::now().time_since_epoch() - Clock::duration(last_try_) <
               std::chrono::seconds(1);
    }

    /// What was learnt since the last time: tries, and doubts about winners that are not the
    /// fastest in calls.
    struct Found {
        std::vector<Exploration> explorations;
        std::vector<Doubt> doubts;
    };
    Found take();
    /// The next take() returns these, too.
    void put_back(Found found);

    /// Tries that calls have made.
    [[nodiscard]] std::int64_t tries() const { return tries_; }

private:
    /// An answer whose calls are explored.
    struct Explored {
        const Resolved* answer;
        Device& device;
        std::vector<std::string> spec;
        Problem problem;
        std::vector<std::string> size_names;
        Doubt doubt;  ///< with what is known of it before there is any
        LaunchTimer* timer;
    };
    /// Calls of an answer at the same sizes.
    struct Place {
        enum class State { waiting, ready, flying, landed, over };

        const Explored* explored;
        Sizes sizes;
        std::int64_t calls = 0;  ///< about
        State state = State::waiting;
        std::unique_ptr<Challenger> challenger = {};
        std::optional<std::vector<std::string>> next = {};  ///< challengers to come, the last first
        PairedTries tries = {};                             ///< of this challenger
        Exploration record = {};  ///< of the same, with what is new since take()
        bool is_new = false;      ///< the record
        // Of all challengers.
        std::int64_t timed = 0;  ///< tries
        double served_ns = 0;    ///< sum of the winner's times in them
        double spent_ns = 0;
        // Of the try under way.
        std::uint64_t tag = 0;
        bool winner_goes_first = false;
        std::array<std::optional<double>, Challenger::kSteps> ns = {};
        std::optional<double> wall_ns = {};  ///< of the calling thread
        std::string failure = {};
    };

    /// call_arrays() whose outputs are few enough to be computed twice; else nothing.
    static std::optional<std::vector<CallArray>> arrays_of(const Task& task);
    LaunchTimer* timer_of(Device& device);
    Queue& queue_of(Device& device);
    /// nullptr where there are too many.
    Place* place_of(const Resolved& answer, std::span<const std::int64_t> sizes);
    /// The place of a call that is to make a try; nullptr: it is a launch alone.
    Place* begin(const Resolved& answer, std::span<const std::int64_t> sizes, std::int64_t calls);
    /// Whether the next try stays within the share of device time.
    [[nodiscard]] bool can_afford(const Place& place) const;
    /// A try that has no times.
    void end(Place& place, Place::State state, const std::string& failure = "");
    void take_times();
    std::vector<Place*> places_in(Place::State state);
    /// Of a try that has landed.
    void learn(Place& place);
    /// Whether calls are so many that tries may be due soon.
    bool is_worth_it(const Place& place);
    /// Makes the next challenger ready, or leaves the place.
    void prepare(Place& place);
    void prepare(Place& place, const Task& task);
    void begin_record(Place& place, const Task& pinned);
    /// The configurations to try, the last first.
    std::vector<std::string> find_challengers(const Place& place, const Task& task);
    /// Brings the record up to what the tries tell.
    static void fill(Place& place);
    /// The challenger has its outcome.
    void settle(Place& place, const char* outcome, const std::string& reason);
    void add_doubt(const Place& place, const Exploration& found);
    /// No more tries for these calls.
    void leave(Place& place);

    const Options& options_;
    const Log& log_;
    const std::span<const Family> families_;
    SessionStore& store_;
    const Make make_;
    std::atomic<std::int64_t> tries_{0};
    std::atomic<Clock::rep> last_try_{std::numeric_limits<Clock::rep>::min() / 2};

    std::mutex mutex_;  ///< of what follows; not held while a call, a timer or the database is used
    std::map<Device*, std::unique_ptr<LaunchTimer>> timers_;
    std::map<const Resolved*, std::unique_ptr<Explored>> explored_;
    std::map<std::pair<const Resolved*, Sizes>, std::unique_ptr<Place>> places_;
    std::uint64_t last_tag_ = 0;
    int flying_ = 0;
    Found found_;

    // Of the thread that works.
    std::map<Device*, std::unique_ptr<Queue>> queues_;
    std::optional<std::vector<Exploration>> ledger_;  ///< with the outcomes of this session
};

}  // namespace jitune::internal
