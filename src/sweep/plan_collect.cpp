// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan_collect.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "jitune/error.hpp"
#include "support/temp_dir.hpp"
#include "sweep/delivered_merge.hpp"
#include "sweep/winner_dispute.hpp"

namespace jitune::internal {

namespace {

using Kind = ProblemState::Kind;

/// The winners of each result of one problem, in one round.
using Results = std::map<std::pair<std::size_t, std::size_t>, std::vector<std::vector<Winner>>>;

/// Its winners; nothing for a file that is no intact database of this user's.
std::optional<std::vector<Winner>> merge(TuningStore& into, const Deliveries& deliveries,
                                         const Delivery& one, const TempDir& local,
                                         const Log& log) {
    const std::filesystem::path copy = local.path() / "delivery.db";
    std::optional<std::vector<Winner>> winners;
    try {
        if (deliveries.fetch(one, copy)) {
            winners = merge_delivered(into, copy, log);
        }
    } catch (const Error& error) {
        log.warning("{} cannot be merged: {}", one.name(), error.what());
    }
    std::filesystem::remove(copy);
    return winners;
}

Results merge_all(TuningStore& into, const Deliveries& deliveries, const Log& log,
                  CollectedClass& collected) {
    const TempDir local;
    Results results;
    for (std::size_t shard = 0; shard < deliveries.shards(); ++shard) {
        for (const Delivery& one : deliveries.in_shard(shard)) {
            if (one.kind == Delivery::Kind::reason) {
                collected.reasons[one.claim.rank] = deliveries.reason(one);
                continue;
            }
            auto winners = merge(into, deliveries, one, local, log);
            if (!winners) {
                collected.damaged.push_back(one.name());
                deliveries.set_aside(one);
                continue;
            }
            ++collected.merged;
            if (one.kind == Delivery::Kind::result) {
                results[{one.claim.rank, one.claim.round}].push_back(std::move(*winners));
            }
        }
    }
    return results;
}

bool is_disputed(const std::vector<std::vector<Winner>>& results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (internal::is_disputed(results[i], results[j])) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

std::size_t CollectedClass::count(Kind kind) const {
    return static_cast<std::size_t>(std::count_if(
        states.begin(), states.end(), [&](const ProblemState& one) { return one.kind == kind; }));
}

CollectedClass collect_class(TuningStore& into, ClaimFolder& claims, const Deliveries& deliveries,
                             const Log& log) {
    CollectedClass collected;
    claims.bring_back();
    // Before the deliveries: what is done by then has been delivered.
    collected.states = claims.states();
    const Results results = merge_all(into, deliveries, log, collected);
    for (ProblemState& state : collected.states) {
        if (state.kind == Kind::claimed) {
            collected.silent_s[state.rank] = claims.silent_for(state);
            collected.held_s[state.rank] = claims.held_for(state);
        }
        if (state.kind != Kind::done) {
            continue;
        }
        const auto found = results.find({state.rank, state.round});
        if (found == results.end()) {
            if (claims.repeat(state, state.round)) {
                collected.lost.push_back(state.rank);
                state = state.waiting();
            }
        } else if (state.round == 1 && is_disputed(found->second) && claims.repeat(state, 2)) {
            collected.disputed.push_back(state.rank);
            state = state.waiting();
            state.round = 2;
        }
    }
    return collected;
}

}  // namespace jitune::internal
