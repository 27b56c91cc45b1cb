// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/winner_race.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "dispatch/observe/served_times.hpp"
#include "measure/statistics.hpp"
#include "measure/timing_rules.hpp"

namespace jitune::internal {

namespace {

/// True if `one` is clearly faster than `other`. If they have different numbers of samples, one of
/// them was far too slow for the last rounds.
bool is_clearly_faster(const Measurement& one, const Measurement& other) {
    if (one.samples_ns.size() != other.samples_ns.size()) {
        return summarize(one.samples_ns).median_ns < summarize(other.samples_ns).median_ns;
    }
    return ratio_of(other.samples_ns, one.samples_ns).low > 1;
}

double median_of(const Measurement& one) {
    return summarize(one.samples_ns).median_ns;
}

}  // namespace

const char* to_string(RaceReport::Outcome outcome) {
    constexpr const char* kNames[] = {"confirmed", "replaced", "slower", "gone"};
    return kNames[static_cast<std::size_t>(outcome)];
}

std::vector<Rival> rivals(std::span<const Measurement> measurements, const Winner& winner) {
    std::map<std::string, std::map<std::string, double>> times;  // by sizes, the last of each
    std::set<std::string> failed;
    for (const Measurement& one : measurements) {
        if (one.verdict != Verdict::timed) {
            failed.insert(one.configuration);
        } else if (one.provenance.device_name == winner.provenance.device_name) {
            times[one.sizes][one.configuration] = median_of(one);
        }
    }
    std::map<std::string, double> ratios;
    for (const auto& [sizes, at] : times) {
        const auto own = at.find(winner.configuration);
        for (const auto& [configuration, ns] : at) {
            if (own == at.end() || own->first == configuration || failed.contains(configuration)) {
                continue;
            }
            const auto [known, is_new] = ratios.try_emplace(configuration, ns / own->second);
            known->second = std::min(known->second, ns / own->second);
        }
    }
    std::vector<Rival> found;
    for (const auto& [configuration, ratio] : ratios) {
        found.push_back({ratio, configuration});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Rival& one, const Rival& other) { return one.ratio < other.ratio; });
    return found;
}

std::optional<std::string> runner_up(std::span<const Measurement> measurements,
                                     const Winner& winner, const std::string& standard) {
    for (Rival& rival : rivals(measurements, winner)) {
        if (rival.configuration != standard) {
            return std::move(rival.configuration);
        }
    }
    return std::nullopt;
}

std::optional<std::string> race_winner(std::span<const Measurement> racers,
                                       const std::string& standing) {
    const auto first = std::find_if(racers.begin(), racers.end(), [&](const Measurement& one) {
        return one.verdict == Verdict::timed && one.configuration == standing;
    });
    const Measurement* best = first == racers.end() ? nullptr : &*first;
    for (const Measurement& one : racers) {
        const bool may_win = one.verdict == Verdict::timed &&
                             (first == racers.end() ||
                              (one.configuration != standing && is_clearly_faster(one, *first)));
        if (may_win && (best == nullptr || median_of(one) < median_of(*best))) {
            best = &one;
        }
    }
    return best == nullptr ? std::nullopt : std::optional(best->configuration);
}

bool is_as_stored(double median_ns, const Winner& stored) {
    const double most_ns =
        stored.median_ns * (1 + std::max(stored.certainty.uncertainty, stored.noise));
    return median_ns <= most_ns * ServedTimes::kTolerance;
}

}  // namespace jitune::internal
