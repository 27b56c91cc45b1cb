// SPDX-License-Identifier: Apache-2.0
#include "range/size_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "range/range_fit.hpp"

namespace jitune::internal {

namespace {

double log2_of(std::int64_t size) {
    return std::log2(static_cast<double>(size));
}

/// 2^octave, within the bounds.
std::int64_t size_at(double octave, std::int64_t from, std::int64_t to) {
    return std::clamp(static_cast<std::int64_t>(std::llround(std::exp2(octave))), from, to);
}

/// Every combination of the dimensions' values.
std::vector<Sizes> combined(const std::vector<std::vector<std::int64_t>>& values) {
    std::vector<Sizes> all{{}};
    for (const auto& of_dimension : values) {
        std::vector<Sizes> longer;
        for (const Sizes& begun : all) {
            for (const std::int64_t value : of_dimension) {
                longer.push_back(begun);
                longer.back().push_back(value);
            }
        }
        all = std::move(longer);
    }
    return all;
}

std::vector<std::int64_t> anchors_between(std::int64_t from, std::int64_t to, double octaves) {
    const double length = log2_of(to) - log2_of(from);
    const int steps = std::max(static_cast<int>(std::ceil(length / octaves)), 1);
    std::set<std::int64_t> places{from, to};
    for (int step = 1; step < steps; ++step) {
        const double octave = log2_of(from) + length * step / steps;
        // Every other place is an odd number without a pattern, two fifths of an octave above the
        // even place.
        const double place = step % 2 == 0 ? std::round(octave) : octave + 0.4;
        places.insert(size_at(place, from, to) | (step % 2 == 0 ? 0 : 1));
    }
    return {places.begin(), places.lower_bound(to + 1)};
}

std::vector<std::int64_t> grid_between(std::int64_t from, std::int64_t to, int between,
                                       std::mt19937_64& random) {
    std::set<std::int64_t> places{from, to};
    std::uniform_real_distribution<double> part(0, 1);
    for (double octave = std::floor(log2_of(from)); octave <= log2_of(to); ++octave) {
        // Winners often change at a power of two, or at the size behind it, which needs one block
        // more. Random places in equal parts of the octave leave no large gap.
        const std::int64_t power = std::int64_t{1} << static_cast<int>(octave);
        std::vector<std::int64_t> wanted{power, power + 1};
        for (int i = 0; i < between; ++i) {
            wanted.push_back(size_at(octave + (i + part(random)) / between, 1, to));
        }
        for (const std::int64_t size : wanted) {
            if (from <= size && size <= to) {
                places.insert(size);
            }
        }
    }
    return {places.begin(), places.end()};
}

/// Where cells end in each dimension: at every `halves`-th of the powers of two and the numbers
/// halfway between them.
std::vector<std::vector<std::int64_t>> cell_ends(const SizeBox& box, int halves) {
    std::vector<std::vector<std::int64_t>> ends;
    for (std::size_t i = 0; i < box.from.size(); ++i) {
        std::set<std::int64_t> its{box.to[i]};
        for (int half = 0; half < 2 * 63; half += halves) {
            const std::int64_t power = std::int64_t{1} << half / 2;
            const std::int64_t end = half % 2 == 0 ? power : power + power / 2;
            if (box.from[i] <= end && end < box.to[i]) {
                its.insert(end);
            }
        }
        ends.emplace_back(its.begin(), its.end());
    }
    return ends;
}

}  // namespace

int dimensions_of(const SizeBox& box) {
    int dimensions = 0;
    for (std::size_t i = 0; i < box.from.size(); ++i) {
        dimensions += box.to[i] > box.from[i] ? 1 : 0;
    }
    return dimensions;
}

std::vector<Sizes> anchors_of(const SizeBox& box, double octaves) {
    std::vector<std::vector<std::int64_t>> values;
    for (std::size_t i = 0; i < box.from.size(); ++i) {
        values.push_back(anchors_between(box.from[i], box.to[i], octaves));
    }
    return combined(values);
}

std::vector<Sizes> grid_of(const SizeBox& box, int between, std::mt19937_64& random) {
    std::vector<std::vector<std::int64_t>> values;
    for (std::size_t i = 0; i < box.from.size(); ++i) {
        values.push_back(grid_between(box.from[i], box.to[i], between, random));
    }
    std::vector<Sizes> grid = combined(values);
    for (std::size_t i = grid.size(); i > 1; --i) {  // the same with every standard library
        std::swap(grid[i - 1], grid[random() % i]);
    }
    return grid;
}

std::vector<SizeBox> cells_of(const SizeBox& box) {
    constexpr double kMostCells = 4000;
    std::vector<std::vector<std::int64_t>> ends = cell_ends(box, 1);
    const auto cell_count = [&] {
        return std::accumulate(ends.begin(), ends.end(), 1.0, [](double product, const auto& its) {
            return product * static_cast<double>(its.size());
        });
    };
    // Coarser until they are few: each cell costs an estimate of every configuration.
    for (int halves = 2; cell_count() > kMostCells; halves *= 2) {
        ends = cell_ends(box, halves);
    }
    std::vector<SizeBox> cells;
    for (const Sizes& to : combined(ends)) {
        SizeBox cell{box.from, to};
        for (std::size_t i = 0; i < to.size(); ++i) {
            const auto end = std::lower_bound(ends[i].begin(), ends[i].end(), to[i]);
            cell.from[i] = end == ends[i].begin() ? box.from[i] : *std::prev(end) + 1;
        }
        cells.push_back(cell);
    }
    return cells;
}

Sizes middle_of(const SizeBox& box) {
    Sizes middle;
    for (std::size_t i = 0; i < box.from.size(); ++i) {
        middle.push_back(
            size_at((log2_of(box.from[i]) + log2_of(box.to[i])) / 2, box.from[i], box.to[i]));
    }
    return middle;
}

Sizes random_sizes(const SizeBox& box, std::mt19937_64& random) {
    Sizes sizes;
    // Uniform over octaves: small problems count as much as large ones.
    for (std::size_t i = 0; i < box.from.size(); ++i) {
        std::uniform_real_distribution<double> octave(log2_of(box.from[i]), log2_of(box.to[i] + 1));
        sizes.push_back(std::clamp(static_cast<std::int64_t>(std::exp2(octave(random))),
                                   box.from[i], box.to[i]));
    }
    return sizes;
}

Sizes between(const Sizes& low, const Sizes& high) {
    constexpr int kRound = 5;
    Sizes middle;
    for (std::size_t i = 0; i < low.size(); ++i) {
        const std::int64_t from = std::min(low[i], high[i]);
        const std::int64_t to = std::max(low[i], high[i]);
        const std::int64_t round = roundest(from, to);
        const bool is_round = significant_bits(from) <= kRound;
        if (to - from <= 1) {
            middle.push_back(from);
        } else if (round > from) {
            middle.push_back(round);
        } else if (is_round && from + 1 < to) {
            middle.push_back(from + 1);
        } else {
            middle.push_back(size_at((log2_of(from) + log2_of(to)) / 2, from + 1, to - 1));
        }
    }
    return middle;
}

}  // namespace jitune::internal
