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

#include "dispatch/call_probe.hpp"
#include "dispatch/challenger.hpp"
#include "dispatch/dispatch_table.hpp"
#include "dispatch/family.hpp"
#include "dispatch/launch_timers.hpp"
#include "dispatch/paired_tries.hpp"
#include "dispatch/session_store.hpp"
#include "tuner_db/exploration.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// Tries other configurations inside calls that stored winners serve, under
/// Options::explore_share: those that stored times put near the winner. The call has its result
/// from the winner alone. Thread-safe but for learn() and prepare(), which are for one thread at a
/// time.
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

    /// Makes the call a part of a try, where a challenger is ready and its time is within the
    /// share.
    bool launch(const Resolved& answer, std::span<const std::int64_t> sizes, std::int64_t calls,
                const ReadyLaunch& launch, void* const* arrays, Stream stream) override;

    /// Learns from the tries that have ended. Returns whether take() has a configuration that is
    /// faster than a winner. Throws nothing but std::bad_alloc.
    bool learn();

    /// Makes a challenger ready for the next calls that deserve one, which may compile it, and
    /// frees those of calls that have ceased. Throws nothing but std::bad_alloc.
    void prepare();

    /// Whether calls have made tries within the last second, so that learn() should come soon.
    [[nodiscard]] bool is_busy() const {
        return Clock::now().time_since_epoch() - Clock::duration(last_try_) <
               std::chrono::seconds(1);
    }

    /// Returns the records that tries have changed since the last take().
    std::vector<Exploration> take();
    /// The next take() returns these, too.
    void put_back(std::vector<Exploration> found);

    /// Calls in which a challenger was timed.
    [[nodiscard]] std::int64_t tries() const { return tries_; }

private:
    /// An answer whose calls are explored.
    struct Explored {
        const Resolved* answer;
        Device& device;
        std::vector<std::string> spec;
        Problem problem;
        LaunchTimer* timer;
    };
    /// Calls of an answer at the same sizes.
    struct Place {
        enum class State {
            waiting,  ///< for a challenger
            ready,
            calling,  ///< a call is under way that is part of a try
            warmed,   ///< the first call of a try was made
            flying,   ///< the second, too; it may be running
            landed,   ///< learn() is to look at it
            over
        };
        enum class Step { warm_up, serve, challenge };

        const Explored* explored;
        Sizes sizes;
        State state = State::waiting;
        std::int64_t calls = 0;  ///< about
        Clock::time_point last_call = {};
        Clock::time_point due = {};  ///< not prepared before
        std::unique_ptr<Challenger> challenger = {};
        std::optional<std::vector<std::string>> next = {};  ///< challengers to come, the last first
        PairedTries tries = {};                             ///< of this challenger
        std::size_t flights = 0;                            ///< the same
        Exploration record = {};  ///< the same, with what is new since take()
        bool is_new = false;      ///< the record
        // Of all challengers.
        std::int64_t flown = 0;
        double spent_ns = 0;
        // Of the try under way.
        Step step = Step::warm_up;
        std::uint64_t tag = 0;
        std::array<std::optional<double>, Challenger::kSteps> ns = {};
        double wall_ns = 0;  ///< of the calling threads
        std::string failure = {};
    };

    /// call_arrays() whose outputs are few enough to be computed twice; else nothing.
    static std::optional<std::vector<CallArray>> arrays_of(const Task& task);
    Queue& queue_of(Device& device);
    /// nullptr where there are too many.
    Place* place_of(const Resolved& answer, std::span<const std::int64_t> sizes);
    /// The place of a call that is to be part of a try; nullptr: it is a launch alone.
    Place* begin(const Resolved& answer, std::span<const std::int64_t> sizes, std::int64_t calls);
    /// Whether the next try stays within the share of the calls' time.
    [[nodiscard]] bool can_afford(const Place& place) const;
    /// The call is a launch alone, after all.
    void give_up(Place& place);
    void end(Place& place, const Challenger::Launched& launched, double wall_ns);
    void take_times();
    /// All steps of the try have their times.
    static bool is_complete(const Place& place);
    std::vector<Place*> landed();
    /// Of a try that has landed.
    void learn(Place& place);
    void add_cost(Place& place);
    /// Frees what calls have not used for a while.
    void tidy();
    /// The place that deserves a challenger next; nullptr: none.
    Place* next_place();
    /// Makes the next challenger ready, or leaves the place.
    void prepare(Place& place);
    void prepare(Place& place, const Task& task);
    void begin_record(Place& place, const Task& pinned);
    /// The configurations to try, the last first. Nothing where the database does not say.
    std::optional<std::vector<std::string>> find_challengers(const Place& place, const Task& task);
    /// Brings the record up to what the tries tell.
    static void fill(Place& place);
    /// The challenger has its outcome.
    void settle(Place& place, const char* outcome, const std::string& reason);
    /// No more tries for these calls, if the state is still `seen`.
    void leave(Place& place, Place::State seen);

    const Options& options_;
    const Log& log_;
    const std::span<const Family> families_;
    SessionStore& store_;
    const Make make_;
    LaunchTimers timers_;
    std::atomic<std::int64_t> tries_{0};
    std::atomic<Clock::rep> last_try_{std::numeric_limits<Clock::rep>::min() / 2};

    std::mutex mutex_;  ///< of what follows; not held while a call, a timer or the database is used
    std::map<const Resolved*, std::unique_ptr<Explored>> explored_;
    std::map<std::pair<const Resolved*, Sizes>, std::unique_ptr<Place>> places_;
    std::uint64_t last_tag_ = 0;
    int flying_ = 0;  ///< tries that have begun and not landed
    std::vector<Exploration> found_;

    // Of the thread that learns and prepares.
    std::map<Device*, std::unique_ptr<Queue>> queues_;
    std::vector<Exploration> settled_;  ///< outcomes of this session
};

}  // namespace jitune::internal
