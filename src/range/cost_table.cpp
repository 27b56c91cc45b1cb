// SPDX-License-Identifier: Apache-2.0
#include "range/cost_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jitune::internal {

namespace {

constexpr double kFailed = std::numeric_limits<double>::infinity();
/// A loss changes by no more than this factor for each octave: so, farther from a probe, a
/// configuration may be among the best although it loses there.
constexpr double kChangeOfOctave = 1.6;
constexpr double kNearLoss = 1.1;
constexpr double kHopeless = 3;
/// A failure at a probe counts at near sizes as this loss, because the configuration may work
/// there.
constexpr double kLossOfFailure = 8;
/// Times that are less sure than this are ignored: more uncertainty excuses no greater loss.
constexpr double kMostUnsure = 0.01;
/// A loss that has risen to this over so many octaves goes on rising, unless a probe says
/// otherwise.
constexpr double kRisingLoss = 1.3;
constexpr double kTrend = 1;
constexpr double kRise = 1.05;  ///< more than noise

}  // namespace

bool lies_between(const Sizes& sizes, const Sizes& left, const Sizes& right) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto [low, high] = std::minmax(left[i], right[i]);
        if (sizes[i] < low || sizes[i] > high) {
            return false;
        }
    }
    return true;
}

std::size_t CostTable::number_of(const std::string& configuration) {
    const auto [known, is_new] = numbers_.emplace(configuration, names_.size());
    if (is_new) {
        names_.push_back(configuration);
    }
    return known->second;
}

std::optional<std::size_t> CostTable::find(const std::string& configuration) const {
    const auto known = numbers_.find(configuration);
    return known == numbers_.end() ? std::nullopt : std::optional(known->second);
}

const CostTable::Probe* CostTable::at(const Sizes& sizes) const {
    const auto known = probe_numbers_.find(sizes);
    return known == probe_numbers_.end() ? nullptr : &probes_[known->second];
}

void CostTable::add(const Sizes& sizes, const std::vector<std::size_t>& compared,
                    const Comparison& comparison) {
    Probe probe{sizes, {}, comparison.standard, comparison.standard};
    const auto put = [&](std::size_t number, const Timing& timing) {
        probe.timings.resize(std::max(probe.timings.size(), number + 1));
        probe.timings[number] = timing;
    };
    for (const std::size_t number : compared) {
        put(number, {kFailed, 0});
    }
    for (const auto& [configuration, timing] : comparison.timings) {
        put(number_of(configuration), timing);
    }
    add(std::move(probe));
}

void CostTable::add(Probe probe) {
    find_best(probe);
    const auto [number, is_new] = probe_numbers_.emplace(probe.sizes, probes_.size());
    if (is_new) {
        probes_.push_back(std::move(probe));
    } else {
        probes_[number->second] = std::move(probe);
    }
}

void CostTable::refute(std::size_t configuration) {
    refuted_.insert(configuration);
    for (Probe& probe : probes_) {
        find_best(probe);
    }
}

void CostTable::find_best(Probe& probe) const {
    probe.best = probe.standard;
    for (std::size_t i = 0; i < probe.timings.size(); ++i) {
        const Timing& timing = probe.timings[i];
        if (is_known(probe, i) && (probe.best.ns == 0 || timing.ns < probe.best.ns)) {
            probe.best = timing;
        }
    }
}

bool CostTable::is_known(const Probe& probe, std::size_t configuration) const {
    return !refuted_.contains(configuration) && configuration < probe.timings.size() &&
           probe.timings[configuration].ns > 0;
}

double CostTable::loss(const Probe& probe, std::size_t configuration) const {
    return is_known(probe, configuration) ? probe.timings[configuration].ns / probe.best.ns
                                          : kFailed;
}

bool CostTable::serves(const Probe& probe, std::size_t configuration, double limit) const {
    if (!is_known(probe, configuration)) {
        return false;
    }
    const Timing& its = probe.timings[configuration];
    const auto is_slower = [&](const Timing& other, double factor) {
        const double unsure = std::min(its.uncertainty + other.uncertainty, kMostUnsure);
        return its.ns * (1 - unsure) > factor * other.ns;
    };
    return !is_slower(probe.best, limit) &&
           (probe.standard.ns == 0 || !is_slower(probe.standard, 1 + (limit - 1) / 4));
}

bool CostTable::loses_near(std::size_t configuration, const Sizes& sizes, double near) const {
    return std::any_of(probes_.begin(), probes_.end(), [&](const Probe& probe) {
        const double its = loss(probe, configuration);
        return is_known(probe, configuration) &&
               (std::isfinite(its) ? its : kLossOfFailure) >
                   near * std::pow(kChangeOfOctave, octaves_between(probe.sizes, sizes));
    });
}

bool CostTable::loses_towards(std::size_t configuration, const Sizes& sizes) const {
    if (sizes.size() != 1) {
        return false;
    }
    struct Known {
        const Sizes* sizes;
        double loss;
    };
    std::vector<Known> known;
    for (const Probe& probe : probes_) {
        if (is_known(probe, configuration) && std::isfinite(probe.timings[configuration].ns)) {
            known.push_back({&probe.sizes, loss(probe, configuration)});
        }
    }
    const auto rises_to = [&](const Known& one) {
        return std::any_of(known.begin(), known.end(), [&](const Known& before) {
            return kRise * before.loss < one.loss &&
                   lies_between(*one.sizes, *before.sizes, sizes) &&
                   octaves_between(*before.sizes, *one.sizes) >= kTrend;
        });
    };
    const auto falls_after = [&](const Known& one) {
        return std::any_of(known.begin(), known.end(), [&](const Known& other) {
            return other.loss < one.loss && (lies_between(*other.sizes, *one.sizes, sizes) ||
                                             lies_between(sizes, *one.sizes, *other.sizes));
        });
    };
    return std::any_of(known.begin(), known.end(), [&](const Known& one) {
        return one.loss > kRisingLoss && rises_to(one) && !falls_after(one);
    });
}

bool CostTable::is_plausible(std::size_t configuration, const Sizes& sizes) const {
    return !refuted_.contains(configuration) && !loses_near(configuration, sizes, kNearLoss) &&
           !loses_towards(configuration, sizes);
}

bool CostTable::is_hopeless(std::size_t configuration, const Sizes& sizes) const {
    return refuted_.contains(configuration) || loses_near(configuration, sizes, kHopeless) ||
           loses_towards(configuration, sizes);
}

}  // namespace jitune::internal
