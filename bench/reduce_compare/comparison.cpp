// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "reduce_compare/offsets.hpp"
#include "reduce_compare/race.hpp"

namespace jitune::bench {

namespace {

constexpr std::array kWays{Way::chain, Way::stream};

/// In device memory; empty for what has none.
DeviceMemory device_offsets(const Problem& problem) {
    if (!problem.ragged()) {
        return {};
    }
    const std::vector<std::int64_t> offsets = ragged_offsets(problem);
    DeviceMemory memory(offsets.size() * sizeof(std::int64_t));
    cuda_call(cudaMemcpy(memory.data(), offsets.data(), memory.bytes(), cudaMemcpyHostToDevice),
              "copy offsets");
    return memory;
}

Race race(Arena& arena, const Cell& cell, const std::int64_t* offsets, std::vector<Side> sides) {
    arena.load(cell.problem.element, values_for(cell.problem.element, cell.problem.op));
    const Slices slices = slices_of(cell, arena.pool().bytes());
    return {arena, cell, slices, result_check(arena, cell, slices, offsets), std::move(sides)};
}

Cell float_sum(std::size_t n) {
    Cell cell;
    cell.problem.inner = n;
    return cell;
}

}  // namespace

std::vector<Result> Comparison::measure(const Cell& cell) const {
    const DeviceMemory offsets = device_offsets(cell.problem);
    const auto* device_offsets = offsets.as<std::int64_t>();
    std::vector<Side> sides{jitune_side(cell.problem, device_offsets, arena_.stream(), session_)};
    if (auto cub = cub_side(cell.problem, device_offsets, arena_.stream())) {
        sides.push_back(std::move(*cub));
    }
    const Race each = race(arena_, cell, device_offsets, std::move(sides));
    std::vector<Result> results;
    for (const Way way : kWays) {
        const std::vector<Measured> measured = each.run(way, samples_);
        Result result{cell, way, measured.front(), std::nullopt};
        if (measured.size() > 1) {
            result.cub = measured.back();
        }
        results.push_back(std::move(result));
    }
    return results;
}

NoiseFloor Comparison::noise_floor() const {
    NoiseFloor floor;
    for (const int exponent : {10, 14, 18, 22, 26}) {
        const Cell cell = float_sum(std::size_t{1} << exponent);
        const Race twins = race(arena_, cell, nullptr,
                                {*cub_side(cell.problem, nullptr, arena_.stream()),
                                 *cub_side(cell.problem, nullptr, arena_.stream())});
        for (const Way way : kWays) {
            const std::vector<Measured> both = twins.run(way, samples_);
            double& largest = way == Way::chain ? floor.chain : floor.stream;
            largest =
                std::max(largest, std::abs(both.front().timing.us / both.back().timing.us - 1));
        }
    }
    return floor;
}

}  // namespace jitune::bench
