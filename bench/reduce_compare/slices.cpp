// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/slices.hpp"

#include <algorithm>

namespace jitune::bench {

namespace {

constexpr double kChainUs = 240;
constexpr std::size_t kMostCalls = 48;
constexpr std::size_t kShapedCalls = 2;  // some of CUB's take 20 ms each
constexpr std::size_t kAligned = 1024;   // elements
/// Elements. Neighbours of small problems must not share what one miss brings in.
constexpr std::size_t kLeastStride = (std::size_t{1} << 18) + 2048;
constexpr std::size_t kFlatResultBytes = 16;

std::size_t calls_of(const Cell& cell) {
    if (cell.problem.shape != Shape::flat) {
        return kShapedCalls;
    }
    const double us_of_one = 2.5 + cell.problem.bytes() / 4.2e6;
    const std::size_t n = cell.problem.elements();
    const std::size_t least = n >= std::size_t{1} << 29 ? 2 : n >= std::size_t{1} << 27 ? 4 : 8;
    return std::clamp(static_cast<std::size_t>(kChainUs / us_of_one), least, kMostCalls);
}

std::size_t rounded_up(std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

std::size_t result_stride(const Problem& problem) {
    return problem.shape == Shape::flat ? kFlatResultBytes
                                        : rounded_up(problem.results() * sizeof(std::int64_t), 256);
}

}  // namespace

Slices slices_of(const Cell& cell, std::size_t pool_bytes) {
    const std::size_t n = cell.problem.elements() + cell.misaligned;
    const std::size_t stride = std::max(rounded_up(n, kAligned), kLeastStride);
    const std::size_t room = pool_bytes / bytes_of(cell.problem.element);
    const std::size_t different = cell.warm ? 1 : (room - n) / stride + 1;
    Slices slices;
    slices.result_stride = result_stride(cell.problem);
    for (std::size_t call = 0; call < calls_of(cell); ++call) {
        slices.starts.push_back(call % different * stride + cell.misaligned);
    }
    return slices;
}

std::size_t pool_bytes_for(const Cell& cell) {
    const std::size_t n = cell.problem.elements() + cell.misaligned;
    return rounded_up(n * bytes_of(cell.problem.element), std::size_t{1} << 20);
}

std::size_t result_bytes_for(const Cell& cell) {
    return calls_of(cell) * result_stride(cell.problem);
}

}  // namespace jitune::bench
