// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/targets.hpp"

#include <array>

namespace jitune::bench {

namespace {

struct SumTarget {
    int exponent;
    double int32_us;
    double float32_us;
    double float16_us;
};

constexpr std::array<SumTarget, 4> kNamed{
    {{14, 1.6, 1.75, 1.6}, {20, 2.9, 3.1, 2.6}, {26, 60, 60.5, 32}, {30, 915, 915, 462}}};

/// The best of 297 hand-written kernels, each size for itself, on an H200.
constexpr std::array<SumTarget, 11> kBest{{{10, 1.16, 1.31, 1.30},
                                           {12, 1.30, 1.43, 1.38},
                                           {14, 1.53, 1.70, 1.56},
                                           {16, 1.93, 2.24, 2.17},
                                           {18, 2.02, 2.24, 2.20},
                                           {20, 2.82, 3.05, 2.56},
                                           {22, 5.61, 6.05, 4.10},
                                           {24, 16.5, 17.0, 9.78},
                                           {26, 59.6, 60.1, 31.5},
                                           {28, 231.4, 231.9, 117.8},
                                           {30, 914.0, 914.1, 460.9}}};

constexpr double kBarFactor = 1.15;
constexpr double kBarBytesPerUs = 4.5e6;
constexpr double kBarUs = 5;
constexpr std::size_t kBarElements = std::size_t{1} << 26;

void append(std::vector<Target>& targets, const SumTarget& row, const char* source) {
    const std::array<std::pair<ElementType, double>, 3> cells{
        {{ElementType::int32, row.int32_us},
         {ElementType::float32, row.float32_us},
         {ElementType::float16, row.float16_us}}};
    for (const auto& [type, us] : cells) {
        Cell cell;
        cell.problem = {type, ReduceOp::sum, Shape::flat, 1, std::size_t{1} << row.exponent};
        targets.push_back({cell, us, source, std::nullopt});
    }
}

void append_bars(std::vector<Target>& targets, Shape shape) {
    for (const int exponent : {2, 6, 10, 14, 16, 18, 20, 22, 24}) {
        const std::size_t rows = std::size_t{1} << exponent;
        Cell cell;
        cell.problem = {ElementType::float32, ReduceOp::sum, shape, rows, kBarElements / rows};
        const double us = kBarFactor * cell.problem.bytes() / kBarBytesPerUs + kBarUs;
        targets.push_back({cell, us, "1.15 x bytes / 4.5 TB/s + 5 us", std::nullopt});
    }
}

void append_bars_of_segments(std::vector<Target>& targets, Shape shape) {
    constexpr double kFactor = 1.3;
    constexpr double kUs = 8;
    for (const int exponent : {4, 8, 12, 16}) {
        const std::size_t mean = std::size_t{1} << exponent;
        Cell cell;
        cell.problem = {ElementType::float32, ReduceOp::sum, shape, kBarElements / mean, mean};
        const double us = kFactor * cell.problem.bytes() / kBarBytesPerUs + kUs;
        targets.push_back({cell, us, "1.3 x bytes / 4.5 TB/s + 8 us", std::nullopt});
    }
}

}  // namespace

std::vector<Target> judged_targets(const std::vector<Result>& results) {
    std::vector<Target> targets;
    for (const SumTarget& row : kNamed) {
        append(targets, row, "named");
    }
    for (const SumTarget& row : kBest) {
        append(targets, row, "best of hand-written");
    }
    append_bars(targets, Shape::rows);
    append_bars(targets, Shape::columns);
    for (const Shape shape : {Shape::segments, Shape::skewed, Shape::hoarded}) {
        append_bars_of_segments(targets, shape);
    }
    for (Target& target : targets) {
        for (const Result& result : results) {
            if (result.way == Way::chain && text(result.cell) == text(target.cell)) {
                target.measured_us = result.jitune.timing.us;
            }
        }
    }
    return targets;
}

}  // namespace jitune::bench
