// SPDX-License-Identifier: Apache-2.0
#include "report/parameter_effects.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "template/problem.hpp"

namespace jitune::internal {

namespace {

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

std::vector<ParameterEffect> parameter_effects(std::span<const TriedCandidate> candidates) {
    std::map<std::string_view, std::map<std::string_view, std::vector<double>>> times;
    double best = 0;
    for (const TriedCandidate& one : candidates) {
        if (one.ns <= 0) {
            continue;
        }
        best = best == 0 ? one.ns : std::min(best, one.ns);
        for (const std::string_view setting : settings_of(one.configuration)) {
            if (const auto equals = setting.find('='); equals != std::string_view::npos) {
                times[setting.substr(0, equals)][setting.substr(equals + 1)].push_back(one.ns);
            }
        }
    }
    std::vector<ParameterEffect> effects;
    for (const auto& [name, by_value] : times) {
        ParameterEffect effect{std::string(name), {}};
        for (const auto& [value, ns] : by_value) {
            effect.values.push_back({std::string(value), ns.size(), median(ns) / best,
                                     *std::min_element(ns.begin(), ns.end()) / best});
        }
        if (effect.values.size() > 1) {
            std::stable_sort(effect.values.begin(), effect.values.end(),
                             [](const auto& a, const auto& b) { return a.median < b.median; });
            effects.push_back(std::move(effect));
        }
    }
    std::stable_sort(effects.begin(), effects.end(),
                     [](const auto& a, const auto& b) { return a.spread() > b.spread(); });
    return effects;
}

}  // namespace jitune::internal
