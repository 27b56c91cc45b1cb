// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan_collect.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "jitune/error.hpp"
#include "support/temp_dir.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

namespace {

/// Whether two tasks have chosen different configurations for the same sizes on the same class of
/// devices, and the intervals of their speed-ups have no value in common: one of the machines was
/// disturbed, or they are not alike. Winners without intervals dispute nothing.
bool is_disputed(const Winner& one, const Winner& other) {
    const Certainty& a = one.certainty;
    const Certainty& b = other.certainty;
    return one.key == other.key && one.sizes == other.sizes &&
           one.configuration != other.configuration && a.speed_up_low > 0 && b.speed_up_low > 0 &&
           (a.speed_up_high < b.speed_up_low || b.speed_up_high < a.speed_up_low);
}

/// Whether any of the winners of one task disputes one of another.
bool is_disputed(std::span<const Winner> ones, std::span<const Winner> others) {
    return std::any_of(ones.begin(), ones.end(), [&](const Winner& one) {
        return std::any_of(others.begin(), others.end(),
                           [&](const Winner& other) { return is_disputed(one, other); });
    });
}

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
            if (is_disputed(results[i], results[j])) {
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

std::vector<Winner> merge_delivered(TuningStore& into, const std::filesystem::path& from,
                                    const Log& log) {
    const auto delivered = TuningStore::open(from, TuningStore::Access::read_only, log);
    into.merges().add(delivered->merges(), {.trust_code = true});
    return delivered->winners();
}

}  // namespace jitune::internal
