// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/race.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "reduce_compare/chain.hpp"
#include "reduce_compare/reader.hpp"
#include "reduce_compare/stopwatch.hpp"

namespace jitune::bench {

namespace {

/// Longer than the host needs to enqueue a replay.
constexpr double kHeadStartUs = 120;

}  // namespace

Race::Race(const Arena& arena, const Cell& cell, Slices slices, ResultCheck check,
           std::vector<Side> sides)
    : arena_(arena),
      cell_(cell),
      slices_(std::move(slices)),
      check_(std::move(check)),
      sides_(std::move(sides)) {
    for (const Side& side : sides_) {
        calls(side.captured)();
        calls(side.plain)();
        arena_.synchronize();
    }
}

Race::Enqueue Race::calls(const Call& call) const {
    return [this, &call] {
        const std::byte* pool = arena_.pool().data();
        std::byte* results = arena_.results().data();
        const std::size_t element_bytes = bytes_of(cell_.problem.element);
        for (std::size_t i = 0; i < slices_.starts.size(); ++i) {
            call(pool + slices_.starts[i] * element_bytes, results + i * slices_.result_stride);
        }
    };
}

std::vector<Race::Enqueue> Race::contestants(Way way) const {
    std::vector<Enqueue> all;
    for (const Side& side : sides_) {
        if (way == Way::stream) {
            all.push_back(calls(side.plain));
        } else {
            const auto chain = std::make_shared<Chain>(arena_.stream(), calls(side.captured));
            all.emplace_back([chain] { chain->replay(); });
        }
    }
    return all;
}

double Race::sample_us(Way way, const Enqueue& enqueue) const {
    const Stopwatch watch(arena_.stream());
    if (!cell_.warm) {
        arena_.flush_l2();
    }
    if (way == Way::chain) {
        keep_busy(kHeadStartUs, arena_.stream());
    } else {
        arena_.synchronize();
    }
    return watch.device_us(enqueue) / static_cast<double>(slices_.starts.size());
}

bool Race::right(const Enqueue& enqueue) const {
    arena_.poison();
    enqueue();
    return check_();
}

std::vector<Measured> Race::run(Way way, int samples) const {
    const std::vector<Enqueue> enqueues = contestants(way);
    std::vector<std::vector<double>> us(enqueues.size());
    for (int i = -1; i < samples; ++i) {
        for (std::size_t turn = 0; turn < enqueues.size(); ++turn) {
            const std::size_t side = i % 2 == 0 ? turn : enqueues.size() - 1 - turn;
            const double each = sample_us(way, enqueues[side]);
            if (i >= 0) {
                us[side].push_back(each);
            }
        }
    }
    std::vector<Measured> measured;
    for (std::size_t side = 0; side < enqueues.size(); ++side) {
        measured.push_back({timing(us[side]), right(enqueues[side]), sides_[side].how});
    }
    return measured;
}

}  // namespace jitune::bench
