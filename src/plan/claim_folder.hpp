// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/deliveries.hpp"
#include "plan/problem_state.hpp"
#include "plan/shared_folder.hpp"
#include "support/time_source.hpp"

namespace jitune::internal {

/// The folder, of a class, of the tasks' signs of life.
inline constexpr const char* kLives = "lives";

/// The problems that one class of devices has to do.
struct ClaimScope {
    std::size_t problems = 0;  ///< ranks below this number
    std::size_t shards = 1;    ///< the shard of a rank is its remainder
    std::function<bool(std::size_t rank)> is_wanted = [](std::size_t) { return true; };
};

/// As many shards as keep a list short: a hundred problems in each, in at most 4096.
std::size_t shards_for(std::size_t problems);

/// When claims come back, and when a problem is given up.
struct ClaimRules {
    /// A task counts as dead if it has shown no sign of life for so long, by the file server's
    /// clock.
    std::chrono::seconds silence{600};
    std::size_t most_failures = 2;
    std::size_t most_losses = 8;
    /// If there are more than `few_shards` shards, all tasks together look through all of them no
    /// more often than this.
    std::chrono::seconds between_looks{30};
    std::size_t few_shards = 64;
    const TimeSource* time = &kMachineTime;  ///< between two readings of the files' clock
};

/// A folder with a part of a plan's problems. They are so few that listing the folder costs little.
/// It holds each problem once, under the name of its state, and never one more or less.
class ClaimShard {
public:
    explicit ClaimShard(SharedFolder folder) : folder_(std::move(folder)) {}

    /// The shard of that name in `claims`. If there is none, makes it with `ranks` waiting. It is
    /// made whole in `part` and then renamed, so that only one of several tasks makes it.
    static ClaimShard open_or_make(const SharedFolder& claims, const SharedFolder& part,
                                   const std::string& name, const std::string& task,
                                   const std::vector<std::size_t>& ranks);

    /// The problems, the first rank first. Other names are left out; if a problem has several
    /// names, which only another program can make, the name counts with which least is left to do.
    [[nodiscard]] std::vector<ProblemState> states() const;

    /// True if the problem is in the state `to` now, and nobody else has brought it there.
    [[nodiscard]] bool move(const ProblemState& from, const ProblemState& to) const {
        return folder_.rename(from.name(), to.name());
    }

private:
    SharedFolder folder_;
};

/// Which task works on which problem of a plan, for one class of devices: a folder `claims` of
/// shards, made when they are needed. Tasks agree by renames alone: there are no locks. One task
/// has one such object, and one thread uses it, but for beat(). Functions throw Error(store).
class ClaimFolder {
public:
    /// `folder` is that of the class. `part` is for what is not finished; `deliveries` tells
    /// whether a dead task had delivered. Both must outlive it.
    ClaimFolder(const SharedFolder& folder, const SharedFolder& part, const Deliveries& deliveries,
                ClaimScope scope, std::string task, ClaimRules rules = {});

    /// Claims a waiting problem: the first of each shard, one shard after the other. So a task
    /// takes the problems about in the order of their ranks, and many tasks seldom want the same
    /// problem. Brings back claims of dead tasks if nothing else is left. Problems that this
    /// task has rejected come last. Nothing if none is left.
    std::optional<ProblemState> claim();

    /// True if claim() would find a problem. Brings back claims of dead tasks, as claim() does.
    [[nodiscard]] bool any_waits();

    /// Shows a sign of life for all problems that the task has claimed.
    void beat() const;

    /// Marks the claim as done: its result is delivered. Also works if the claim has come back
    /// meanwhile and waits.
    void finish(const ProblemState& claim);
    /// Gives the claim back, so that another task goes on.
    void hand_back(const ProblemState& claim);
    /// Marks that this task cannot tune the problem; after `most_failures` the problem has failed
    /// for good. Returns true if it has.
    bool reject(const ProblemState& claim);

    /// Is told of each claim of a dead task before it comes back, or is taken as done.
    void on_loss(std::function<void(const ProblemState&)> tell) { tell_loss_ = std::move(tell); }

    /// Looks through all shards and brings back the claims of dead tasks: as done if their
    /// results have come, else to wait; too many losses make a problem fail. Returns how many wait.
    std::size_t bring_back();

    /// True if claim() and any_waits() look for the claims of all dead tasks before they find
    /// nothing; false if they may leave that to other tasks that have just looked.
    [[nodiscard]] bool sees_all() const { return scope_.shards <= rules_.few_shards; }

    /// All problems of the scope.
    [[nodiscard]] std::vector<ProblemState> states() const;

    /// Makes a problem that is done wait once more, in this round. False if it is not done any
    /// more.
    bool repeat(const ProblemState& done, std::size_t round);

    /// Seconds since the last sign of life of the claim's task, by the file server's clock.
    [[nodiscard]] double silent_for(const ProblemState& claim);
    /// Seconds since it was claimed, by the same clock.
    [[nodiscard]] double held_for(const ProblemState& claim) const {
        return static_cast<double>(std::max<std::int64_t>(0, clock_.seconds() - claim.since));
    }

private:
    [[nodiscard]] std::vector<std::size_t> ranks_of(std::size_t shard) const;
    [[nodiscard]] ClaimShard open(std::size_t shard) const;
    [[nodiscard]] std::optional<ClaimShard> find(std::size_t shard) const;
    std::optional<std::size_t> next_shard();
    std::optional<ProblemState> claim_in(std::size_t shard);
    /// Whether a state is that of a problem of this plan which waits.
    [[nodiscard]] bool waits(const ProblemState& state) const;
    [[nodiscard]] bool any_waits_in(std::size_t shard) const;
    /// Notes for all tasks that nothing waits in the shard, unless something does.
    void note_empty(std::size_t shard);
    void learn_empty();
    /// Looks through the shards again. True if it found a waiting problem that may be claimed.
    bool look_again();
    [[nodiscard]] bool may_look();
    [[nodiscard]] bool is_lost(const ProblemState& claim, std::int64_t now) const;
    /// Nanoseconds since the last sign of life of the claim's task.
    [[nodiscard]] std::int64_t silence_of(const ProblemState& claim, std::int64_t now) const;
    void bring_back(const ClaimShard& shard, const ProblemState& claim);
    void settle(const ProblemState& claim, const ProblemState& to);

    const SharedFolder folder_;  // of the class
    const SharedFolder claims_;
    const SharedFolder empty_;  // a file for each shard in which nothing waits, as a hint
    const SharedFolder lives_;  // a file for each task, whose time is that of its last sign of life
    const SharedFolder& part_;
    const Deliveries& deliveries_;
    const ClaimScope scope_;
    const std::string task_;
    const ClaimRules rules_;
    FileClock clock_;
    std::function<void(const ProblemState&)> tell_loss_;
    TimeSource::Clock::time_point showed_life_;
    std::size_t cursor_;
    std::size_t met_empty_ = 0;
    std::set<std::size_t> known_empty_;
    std::set<std::size_t> rejected_;
};

}  // namespace jitune::internal
