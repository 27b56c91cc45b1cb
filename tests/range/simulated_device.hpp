// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "range/range_search.hpp"

namespace jitune::internal {

/// A device on which each configuration's cost is a known function of the sizes. Times are noisy
/// and drift.
class SimulatedDevice : public RangeBench {
public:
    using Cost = std::function<double(const Sizes&)>;

    explicit SimulatedDevice(std::uint64_t seed = 0) : random_(seed) {}

    void add(const std::string& configuration, Cost cost) { costs_[configuration] = cost; }

    /// Kernels over tiles: a start, a step for each turn of the grid over the data, and more where
    /// the last tile is ragged.
    void add_tiled(int count) {
        for (int i = 0; i < count; ++i) {
            const double tile = std::exp2(std::uniform_int_distribution<>(7, 16)(random_));
            const double blocks = std::exp2(std::uniform_int_distribution<>(0, 10)(random_));
            const double start = 900 + 250 * std::log2(1 + blocks) * uniform();
            const double step = 40 + tile * (0.02 + 0.1 * uniform());
            const double share = 1.0 / (1 + 4000 * uniform() * uniform());
            const double ragged = 300 * uniform() * uniform();
            add(fmt::format("c{:03}", i), [=](const Sizes& sizes) {
                double n = 1;
                for (const std::int64_t size : sizes) {
                    n *= static_cast<double>(size);
                }
                const double turns = std::ceil(n / (tile * blocks));
                const bool is_ragged = n < tile || std::fmod(n, tile) > 3;
                return start + turns * step + n * share / 40 + (is_ragged ? ragged : 0);
            });
        }
    }

    [[nodiscard]] double cost(const std::string& configuration, const Sizes& sizes) const {
        return configuration != kDefault ? costs_.at(configuration)(sizes)
               : standard                ? standard(sizes)
                                         : costs_.begin()->second(sizes);
    }
    [[nodiscard]] double best(const Sizes& sizes) const {
        double best = std::numeric_limits<double>::infinity();
        for (const auto& [name, its] : costs_) {
            best = std::min(best, its(sizes));
        }
        return best;
    }

    /// Three of the best, as a search would find that has seen most of the space.
    std::vector<std::string> search(const Sizes& sizes,
                                    const std::vector<std::string>& hints) override {
        ++searches;
        hinted.push_back(hints);
        std::vector<std::pair<double, std::string>> seen;
        for (const auto& [name, its] : costs_) {
            if (uniform() < 0.9) {
                seen.emplace_back(noisy(its(sizes)), name);
            }
        }
        std::sort(seen.begin(), seen.end());
        std::vector<std::string> found;
        for (std::size_t i = 0; i < std::min<std::size_t>(3, seen.size()); ++i) {
            found.push_back(seen[i].second);
        }
        return found;
    }

    Comparison compare(const Sizes& sizes, const std::vector<std::string>& names) override {
        ++compares;
        time_ += compare_time(sizes) + configuration_time * static_cast<double>(names.size());
        asked.push_back(sizes);
        drift_ *= 1 + 0.002 * (uniform() - 0.5);
        Comparison comparison;
        comparison.disturbed = disturbs(sizes, compares);
        disturbed_ = comparison.disturbed;
        comparison.standard = timing(kDefault, sizes);
        if (!standard) {
            comparison.timings[costs_.begin()->first] = comparison.standard;
        }
        for (const std::string& name : names) {
            if (wrong.contains(name) && wrong.at(name).contains(sizes)) {
                comparison.refuted.push_back(name);
            } else if (!broken.contains(name)) {
                comparison.timings[name] = timing(name, sizes);
            }
        }
        return comparison;
    }
    std::string code_of(const std::string& configuration) override { return configuration; }
    double spent() override { return time_ / most_compares; }

    Cost standard;  ///< of a default by rules; empty: the first configuration is the default
    std::map<std::string, bool> broken;    ///< configurations that fail
    std::map<std::string, SizeBox> wrong;  ///< where configurations give a wrong result
    double noise = 0.003;                  ///< standard deviation of a time over it
    int most_compares = 800;               ///< of those that take a time of 1
    Cost compare_time = [](const Sizes&) { return 1.0; };
    double configuration_time = 0;  ///< of each configuration in a comparison
    /// Whether other processes lengthen times of the comparison with this number, by up to a
    /// hundred times.
    std::function<bool(const Sizes&, int)> disturbs = [](const Sizes&, int) { return false; };
    int searches = 0;
    int compares = 0;
    std::vector<Sizes> asked;
    std::vector<std::vector<std::string>> hinted;  ///< to each search

private:
    Timing timing(const std::string& configuration, const Sizes& sizes) {
        const double longer = disturbed_ ? std::pow(100, uniform()) : 1;
        return {longer * noisy(drift_ * cost(configuration, sizes)), 2 * noise};
    }
    double uniform() { return std::uniform_real_distribution<>(0, 1)(random_); }
    double noisy(double ns) {
        return ns * std::exp(std::normal_distribution<>(0, noise > 0 ? noise : 1e-12)(random_));
    }

    std::map<std::string, Cost> costs_;
    std::mt19937_64 random_;
    double time_ = 0;
    double drift_ = 1;
    bool disturbed_ = false;  ///< the comparison under way
};

}  // namespace jitune::internal
