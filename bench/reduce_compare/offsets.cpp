// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/offsets.hpp"

#include <random>

namespace jitune::bench {

namespace {

constexpr unsigned kSeed = 20;

std::vector<std::int64_t> alike(const Problem& problem) {
    std::mt19937_64 random(kSeed);
    const auto mean = static_cast<std::int64_t>(problem.inner);
    std::uniform_int_distribution<std::int64_t> shift(-mean / 2, mean / 2);
    std::vector<std::int64_t> offsets(problem.outer + 1);
    for (std::size_t i = 1; i < problem.outer; ++i) {
        offsets[i] = static_cast<std::int64_t>(i) * mean + shift(random);
    }
    return offsets;
}

/// Lengths follow a Pareto distribution of exponent 1.
std::vector<std::int64_t> skewed(const Problem& problem) {
    std::mt19937_64 random(kSeed);
    std::uniform_real_distribution<double> uniform(1e-6, 1);
    std::vector<double> ends(problem.outer + 1);
    for (std::size_t i = 1; i <= problem.outer; ++i) {
        ends[i] = ends[i - 1] + 1 / uniform(random);
    }
    std::vector<std::int64_t> offsets(problem.outer + 1);
    for (std::size_t i = 1; i < problem.outer; ++i) {
        offsets[i] = static_cast<std::int64_t>(ends[i] / ends.back() *
                                               static_cast<double>(problem.elements()));
    }
    return offsets;
}

std::vector<std::int64_t> hoarded(const Problem& problem) {
    constexpr std::size_t kGroup = 16;
    std::vector<std::int64_t> offsets(problem.outer + 1);
    const auto elements = static_cast<std::int64_t>(problem.elements());
    const std::int64_t others = elements / 10;
    const std::int64_t length = others / static_cast<std::int64_t>(problem.outer / kGroup + 1);
    for (std::size_t i = 0; i < problem.outer; ++i) {
        offsets[i + 1] = offsets[i] + (i == problem.outer / 2 ? elements - others
                                       : i % kGroup == 1      ? length
                                                              : 0);
    }
    return offsets;
}

}  // namespace

std::vector<std::int64_t> ragged_offsets(const Problem& problem) {
    std::vector<std::int64_t> offsets = problem.shape == Shape::skewed    ? skewed(problem)
                                        : problem.shape == Shape::hoarded ? hoarded(problem)
                                                                          : alike(problem);
    offsets.back() = static_cast<std::int64_t>(problem.elements());
    return offsets;
}

}  // namespace jitune::bench
