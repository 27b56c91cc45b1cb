// SPDX-License-Identifier: Apache-2.0
#include "rules/loss_table.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace jitune::internal {
namespace {

/// The other problems that may stand for one, the nearest first.
std::vector<std::size_t> near_problems(const LossTable& table, std::size_t problem, double most) {
    const LossTable::Problem& here = table.problems[problem];
    std::vector<std::tuple<double, bool, std::size_t>> found;
    for (std::size_t i = 0; i < table.problems.size(); ++i) {
        const LossTable::Problem& there = table.problems[i];
        if (i == problem || there.types != here.types || there.device_class != here.device_class ||
            there.sizes.size() != here.sizes.size()) {
            continue;
        }
        const double octaves = octaves_between(here.sizes, there.sizes);
        if (octaves <= most) {
            found.emplace_back(octaves, there.alignment != here.alignment, i);
        }
    }
    std::sort(found.begin(), found.end());
    std::vector<std::size_t> result;
    for (const auto& [octaves, is_other, i] : found) {
        result.push_back(i);
    }
    return result;
}

}  // namespace

void estimate_unknown(LossTable& table, double most_octaves) {
    for (std::size_t problem = 0; problem < table.problems.size(); ++problem) {
        const std::vector<std::size_t> near = near_problems(table, problem, most_octaves);
        for (std::size_t one = 0; one < table.configurations.size(); ++one) {
            LossCell& cell = table.at(one, problem);
            if (cell.state != LossCell::State::unknown) {
                continue;
            }
            const auto found = std::find_if(near.begin(), near.end(), [&](std::size_t other) {
                return table.at(one, other).state == LossCell::State::measured;
            });
            if (found != near.end()) {
                cell = {LossCell::State::estimated, table.at(one, *found).loss};
            }
        }
    }
}

LossSummary summary_of(std::span<const LossCell> answers, std::span<const std::size_t> problems) {
    LossSummary result;
    double log_sum = 0;
    for (const std::size_t problem : problems) {
        const LossCell& answer = answers[problem];
        ++result.problems;
        if (!answer.is_known()) {
            ++result.unknown;
            continue;
        }
        result.estimated += answer.state == LossCell::State::estimated ? 1 : 0;
        log_sum += std::log(answer.loss);
        if (answer.loss > result.worst) {
            result.worst = answer.loss;
            result.worst_problem = problem;
        }
    }
    if (const std::size_t known = result.problems - result.unknown; known > 0) {
        result.geometric_mean = std::exp(log_sum / static_cast<double>(known));
    }
    return result;
}

}  // namespace jitune::internal
