// SPDX-License-Identifier: Apache-2.0
#include "plan/claim_folder.hpp"

#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "plan/task_name.hpp"
#include "support/hash.hpp"

namespace jitune::internal {

namespace {

using Kind = ProblemState::Kind;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr const char* kLooked = "looked";
constexpr std::chrono::seconds kFresh{10};

}  // namespace

ClaimShard ClaimShard::open_or_make(const SharedFolder& claims, const SharedFolder& part,
                                    const std::string& name, const std::string& task,
                                    const std::vector<std::size_t>& ranks) {
    if (auto found = claims.find(name)) {
        return ClaimShard(std::move(*found));
    }
    const std::string unfinished = fmt::format("shard.{}.{}", name, task);
    part.remove_tree(unfinished);  // of a try that failed
    const SharedFolder made = part.make(unfinished);
    for (const std::size_t rank : ranks) {
        const std::string first = ProblemState{.rank = ranks.front()}.name();
        if (rank == ranks.front()) {
            made.touch(first);
        } else {
            made.touch_twin(first, ProblemState{.rank = rank}.name());
        }
    }
    if (!part.give(unfinished, claims, name)) {
        part.remove_tree(unfinished);
    }
    auto found = claims.find(name);
    if (!found) {
        throw Error(ErrorKind::store,
                    fmt::format("folder of the plan {}: {} has gone: something removes files there",
                                claims.path().string(), name));
    }
    return ClaimShard(std::move(*found));
}

std::vector<ProblemState> ClaimShard::states() const {
    std::vector<ProblemState> states;
    for (const std::string& name : folder_.names()) {
        if (auto state = problem_state(name)) {
            states.push_back(std::move(*state));
        }
    }
    std::sort(states.begin(), states.end(), [](const ProblemState& a, const ProblemState& b) {
        return std::tuple(a.rank, b.round, b.kind) < std::tuple(b.rank, a.round, a.kind);
    });
    const auto again =
        std::unique(states.begin(), states.end(),
                    [](const ProblemState& a, const ProblemState& b) { return a.rank == b.rank; });
    states.erase(again, states.end());
    return states;
}

std::size_t shards_for(std::size_t problems) {
    constexpr std::size_t kInShard = 100;
    constexpr std::size_t kMost = 4096;
    return std::clamp<std::size_t>((problems + kInShard - 1) / kInShard, 1, kMost);
}

ClaimFolder::ClaimFolder(const SharedFolder& folder, const SharedFolder& part,
                         const Deliveries& deliveries, ClaimScope scope, std::string task,
                         ClaimRules rules)
    : folder_(SharedFolder::open(folder.path())),
      claims_(folder.make("claims")),
      empty_(folder.make("empty")),
      lives_(folder.make(kLives)),
      part_(part),
      deliveries_(deliveries),
      scope_(std::move(scope)),
      task_(std::move(task)),
      rules_(rules),
      clock_(lives_, task_, *rules_.time),
      showed_life_(rules_.time->now()),
      cursor_(quick_hash(task_, 0) % scope_.shards) {}

std::vector<std::size_t> ClaimFolder::ranks_of(std::size_t shard) const {
    std::vector<std::size_t> ranks;
    for (std::size_t rank = shard; rank < scope_.problems; rank += scope_.shards) {
        if (scope_.is_wanted(rank)) {
            ranks.push_back(rank);
        }
    }
    return ranks;
}

std::optional<ClaimShard> ClaimFolder::find(std::size_t shard) const {
    auto folder = claims_.find(shard_name(shard));
    return folder ? std::optional<ClaimShard>(std::move(*folder)) : std::nullopt;
}

ClaimShard ClaimFolder::open(std::size_t shard) const {
    auto found = find(shard);
    return found ? std::move(*found)
                 : ClaimShard::open_or_make(claims_, part_, shard_name(shard), task_,
                                            ranks_of(shard));
}

std::optional<std::size_t> ClaimFolder::next_shard() {
    for (std::size_t i = 0; i < scope_.shards; ++i) {
        const std::size_t shard = cursor_;
        cursor_ = (cursor_ + 1) % scope_.shards;
        if (!known_empty_.contains(shard)) {
            return shard;
        }
    }
    return std::nullopt;
}

std::optional<ProblemState> ClaimFolder::claim_in(std::size_t shard) {
    if (const auto now = rules_.time->now(); now - showed_life_ > kFresh) {
        showed_life_ = now;
        beat();  // before it claims, so that a claim is never older than its task's life
    }
    const ClaimShard problems = open(shard);
    std::vector<ProblemState> waiting = problems.states();
    std::erase_if(waiting, [&](const ProblemState& state) { return !waits(state); });
    const auto all = waiting.size();
    std::erase_if(waiting,
                  [&](const ProblemState& state) { return rejected_.contains(state.rank); });
    const bool left_some = waiting.size() < all;
    for (const ProblemState& state : waiting) {
        ProblemState claimed = state.as(Kind::claimed);
        claimed.since = clock_.seconds();
        claimed.task = task_;
        if (problems.move(state, claimed)) {
            if (state == waiting.back() && !left_some) {
                note_empty(shard);
            }
            return claimed;
        }
    }
    known_empty_.insert(shard);
    if (!left_some) {
        note_empty(shard);
    }
    return std::nullopt;
}

// Whoever makes a problem wait removes the note afterwards. So list the shard after the note is
// made.
void ClaimFolder::note_empty(std::size_t shard) {
    constexpr std::size_t kBetweenReads = 8;
    if (scope_.shards <= rules_.few_shards) {
        return;
    }
    const std::string name = shard_name(shard);
    if (!empty_.has(name)) {
        empty_.touch(name);
        if (any_waits_in(shard)) {
            empty_.remove(name);
            known_empty_.erase(shard);
        }
    }
    if (met_empty_++ % kBetweenReads == 0) {
        learn_empty();
    }
}

void ClaimFolder::learn_empty() {
    for (const std::string& name : empty_.names()) {
        if (const auto shard = plain_number(name)) {
            known_empty_.insert(static_cast<std::size_t>(*shard));
        }
    }
}

std::optional<ProblemState> ClaimFolder::claim() {
    for (;;) {
        while (const auto shard = next_shard()) {
            if (auto claimed = claim_in(*shard)) {
                return claimed;
            }
        }
        if (look_again()) {
            continue;
        }
        if (rejected_.empty()) {
            return std::nullopt;
        }
        for (const std::size_t rank : rejected_) {
            known_empty_.erase(rank % scope_.shards);
        }
        rejected_.clear();
    }
}

bool ClaimFolder::waits(const ProblemState& state) const {
    return state.kind == Kind::waiting && state.rank < scope_.problems;
}

bool ClaimFolder::any_waits_in(std::size_t shard) const {
    const auto problems = find(shard);
    if (!problems) {
        return !ranks_of(shard).empty();
    }
    const std::vector<ProblemState> states = problems->states();
    return std::any_of(states.begin(), states.end(),
                       [&](const ProblemState& one) { return waits(one); });
}

bool ClaimFolder::any_waits() {
    do {
        while (const auto shard = next_shard()) {
            if (any_waits_in(*shard)) {
                return true;
            }
            known_empty_.insert(*shard);
        }
    } while (look_again());
    return std::any_of(rejected_.begin(), rejected_.end(),
                       [&](std::size_t rank) { return any_waits_in(rank % scope_.shards); });
}

bool ClaimFolder::may_look() {
    if (scope_.shards <= rules_.few_shards) {
        return true;
    }
    const std::int64_t now = clock_.read();
    const auto last = folder_.changed_ns(kLooked);
    if (last && now - *last < rules_.between_looks.count() * kSecond) {
        return false;
    }
    folder_.touch(kLooked);
    static_cast<void>(folder_.beat(kLooked));
    return true;
}

bool ClaimFolder::look_again() {
    return may_look() && bring_back() > 0;
}

std::size_t ClaimFolder::bring_back() {
    const std::int64_t now = clock_.read();
    std::size_t waiting = 0;
    for (std::size_t shard = 0; shard < scope_.shards; ++shard) {
        const auto problems = find(shard);
        if (!problems) {
            known_empty_.erase(shard);
            continue;
        }
        std::vector<ProblemState> states = problems->states();
        for (const ProblemState& state : states) {
            if (state.kind == Kind::claimed && is_lost(state, now)) {
                bring_back(*problems, state);
            }
        }
        states = problems->states();
        const auto found = std::count_if(states.begin(), states.end(), [&](const auto& one) {
            return waits(one) && !rejected_.contains(one.rank);
        });
        if (found > 0) {
            known_empty_.erase(shard);
            empty_.remove(shard_name(shard));
            waiting += static_cast<std::size_t>(found);
        }
    }
    return waiting;
}

std::int64_t ClaimFolder::silence_of(const ProblemState& claim, std::int64_t now) const {
    const auto life = lives_.changed_ns(claim.task);
    return std::max<std::int64_t>(0, now - life.value_or(claim.since * kSecond));
}

bool ClaimFolder::is_lost(const ProblemState& claim, std::int64_t now) const {
    return claim.task != task_ && (has_task_ended(claim.task) ||
                                   silence_of(claim, now) > rules_.silence.count() * kSecond);
}

void ClaimFolder::bring_back(const ClaimShard& shard, const ProblemState& claim) {
    ProblemState to = claim;
    if (tell_loss_) {
        tell_loss_(claim);
    }
    if (deliveries_.has_result(claim)) {
        to = claim.as(Kind::done);
    } else {
        ++to.losses;
        to = to.losses < rules_.most_losses ? to.waiting() : to.as(Kind::failed);
    }
    static_cast<void>(shard.move(claim, to));
    empty_.remove(shard_name(claim.rank % scope_.shards));
}

void ClaimFolder::beat() const {
    lives_.touch(task_);  // others may have removed it
    static_cast<void>(lives_.beat(task_));
}

void ClaimFolder::settle(const ProblemState& claim, const ProblemState& to) {
    const std::size_t number = claim.rank % scope_.shards;
    const ClaimShard shard = open(number);
    if (!shard.move(claim, to) && to.kind == Kind::done) {
        for (const ProblemState& state : shard.states()) {
            if (state.rank == claim.rank && state.kind == Kind::waiting &&
                state.round == claim.round) {
                static_cast<void>(shard.move(state, to));
            }
        }
    }
    if (to.kind == Kind::waiting) {
        known_empty_.erase(number);
        empty_.remove(shard_name(number));
    }
}

void ClaimFolder::finish(const ProblemState& claim) {
    settle(claim, claim.as(Kind::done));
}

void ClaimFolder::hand_back(const ProblemState& claim) {
    settle(claim, claim.waiting());
}

bool ClaimFolder::reject(const ProblemState& claim) {
    ProblemState to = claim;
    ++to.failures;
    const bool has_failed = to.failures >= rules_.most_failures;
    if (has_failed) {
        to.kind = Kind::failed;
    } else {
        to = to.waiting();
        rejected_.insert(claim.rank);
    }
    settle(claim, to);
    return has_failed;
}

std::vector<ProblemState> ClaimFolder::states() const {
    std::vector<ProblemState> all;
    for (std::size_t shard = 0; shard < scope_.shards; ++shard) {
        if (const auto problems = find(shard)) {
            for (ProblemState& state : problems->states()) {
                if (state.rank < scope_.problems) {
                    all.push_back(std::move(state));
                }
            }
        } else {
            for (const std::size_t rank : ranks_of(shard)) {
                all.push_back({.rank = rank});
            }
        }
    }
    std::sort(all.begin(), all.end(),
              [](const ProblemState& a, const ProblemState& b) { return a.rank < b.rank; });
    return all;
}

bool ClaimFolder::repeat(const ProblemState& done, std::size_t round) {
    const std::size_t number = done.rank % scope_.shards;
    ProblemState to = done.waiting();
    to.round = round;
    const auto shard = find(number);
    const bool moved = shard && shard->move(done, to);
    empty_.remove(shard_name(number));
    return moved;
}

double ClaimFolder::silent_for(const ProblemState& claim) {
    return static_cast<double>(silence_of(claim, clock_.read())) / 1e9;
}

}  // namespace jitune::internal
