// SPDX-License-Identifier: Apache-2.0
#include "plan/claim_shard.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

/// More where less is left to do.
auto progress_of(const ProblemState& state) {
    const auto order = [](ProblemState::Kind kind) {
        switch (kind) {
            case ProblemState::Kind::waiting:
                return 0;
            case ProblemState::Kind::claimed:
                return 1;
            case ProblemState::Kind::failed:
                return 2;
            case ProblemState::Kind::done:
                break;
        }
        return 3;
    };
    return std::tuple(state.round, order(state.kind));
}

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
        return a.rank != b.rank ? a.rank < b.rank : progress_of(a) > progress_of(b);
    });
    const auto again =
        std::unique(states.begin(), states.end(),
                    [](const ProblemState& a, const ProblemState& b) { return a.rank == b.rank; });
    states.erase(again, states.end());
    return states;
}

}  // namespace jitune::internal
