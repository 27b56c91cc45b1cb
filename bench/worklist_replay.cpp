// SPDX-License-Identifier: Apache-2.0
#include "worklist_replay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner_db/winners/winner_table.hpp"

namespace jitune::bench {

using namespace jitune::internal;

namespace {

constexpr double kFarthest = 1;  // octaves at which the nearest winner answers

const RecordKey& key_of(const MeasuredItem& one) {
    return one.item.misses.front().key;
}

Sizes sizes_of(const MeasuredItem& one) {
    return one.item.misses.front().problem_sizes().value();
}

/// The time of a call by a configuration: the default's where it has none, or hardly another.
double time_ns(const MeasuredItem& one, const std::string& configuration) {
    constexpr double kSame = 0.03;
    const double standard = one.times_ns.at(one.standard);
    const auto found = one.times_ns.find(configuration);
    return found == one.times_ns.end() || std::abs(found->second / standard - 1) < kSame
               ? standard
               : found->second;
}

/// By the item's own winner; the default's where it has none.
double own_ns(const MeasuredItem& one, Effort effort) {
    const auto [winner, octaves] = nearest_winner(one.tunings.at(effort), sizes_of(one));
    return time_ns(one, winner == nullptr ? one.standard : winner->configuration);
}

double seconds_of(const MeasuredItem& one, double call_ns) {
    return static_cast<double>(one.item.calls()) * call_ns * 1e-9;
}

}  // namespace

std::pair<const Winner*, double> nearest_winner(const MeasuredTuning& tuning, const Sizes& sizes) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::pair<const Winner*, double> best{nullptr, kNever};
    for (const Winner& winner : tuning.winners) {
        const double octaves =
            octaves_between(boxes_of(winner).value_or(std::vector<SizeBox>{}), sizes);
        if (!winner.range.unsure && octaves <= best.second && octaves < kNever) {
            best = {&winner, octaves};
        }
    }
    return best;
}

Replay::Replay(const Measured& measured) : measured_(measured) {
    for (std::size_t item = 0; item < measured.items.size(); ++item) {
        const MeasuredItem& one = measured.items[item];
        nearby_.push_back(nearby(item));
        sweep_s_ += one.tunings.at(Effort::full).seconds;
        const double before = seconds_of(one, one.times_ns.at(one.standard));
        untuned_s_ += before;
        recoverable_s_ += before - seconds_of(one, own_ns(one, Effort::full));
    }
}

std::vector<Replay::Nearby> Replay::nearby(std::size_t item) const {
    const MeasuredItem& one = measured_.items[item];
    std::vector<Nearby> all;
    for (std::size_t other = 0; other < measured_.items.size(); ++other) {
        if (other == item || !key_of(one).is_like(key_of(measured_.items[other]))) {
            continue;
        }
        for (const auto& [effort, tuning] : measured_.items[other].tunings) {
            const auto [winner, octaves] = nearest_winner(tuning, sizes_of(one));
            if (octaves <= kFarthest && one.times_ns.contains(winner->configuration)) {
                all.push_back({other, effort, octaves, time_ns(one, winner->configuration)});
            }
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const Nearby& left, const Nearby& right) {
        return left.octaves < right.octaves;
    });
    return all;
}

void Replay::clear() {
    done_.clear();
    spent_s_ = 0;
}

void Replay::tune(std::size_t item, Effort effort) {
    done_.emplace(item, effort);
    spent_s_ += measured_.items[item].tunings.at(effort).seconds;
}

double Replay::call_ns(std::size_t item) const {
    const MeasuredItem& one = measured_.items[item];
    for (const Effort effort : {Effort::full, Effort::brief}) {
        if (has(item, effort)) {
            return own_ns(one, effort);
        }
    }
    for (const Nearby& near : nearby_[item]) {
        const bool replaced = near.effort == Effort::brief && has(near.item, Effort::full);
        if (has(near.item, near.effort) && !replaced) {
            return near.ns;
        }
    }
    return one.times_ns.at(one.standard);
}

double Replay::calls_s() const {
    double sum = 0;
    for (std::size_t item = 0; item < measured_.items.size(); ++item) {
        sum += seconds_of(measured_.items[item], call_ns(item));
    }
    return sum;
}

double Curve::won_at(double part) const {
    double won = 0;
    for (const auto& [seconds, time] : points) {
        won = seconds <= part ? time : won;
    }
    return won;
}

double Curve::reached_at(double won) const {
    double reached = std::numeric_limits<double>::infinity();
    for (auto point = points.rbegin(); point != points.rend() && point->second >= won; ++point) {
        reached = point->first;
    }
    return reached;
}

Curve run(Replay& replay, const NextStep& next) {
    replay.clear();
    Curve curve;
    while (const auto step = next(replay)) {
        replay.tune(step->first, step->second);
        curve.points.emplace_back(replay.spent_s() / replay.sweep_s(),
                                  (replay.untuned_s() - replay.calls_s()) / replay.recoverable_s());
    }
    return curve;
}

}  // namespace jitune::bench
