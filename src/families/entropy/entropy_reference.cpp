// SPDX-License-Identifier: Apache-2.0
#include "families/entropy/entropy_reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

constexpr std::size_t kMostLevels = 256;

/// Counts elements of one window.
class Counter {
public:
    explicit Counter(std::span<const double> logs) : logs_(logs) {}

    void add(std::uint8_t level) {
        const std::size_t n = counts_[level]++;
        sum_ += logs_[n + 1] - logs_[n];
        ++elements_;
    }

    [[nodiscard]] double entropy() const {
        const auto n = static_cast<double>(elements_);
        return std::log(n) - sum_ / n;
    }

private:
    std::span<const double> logs_;
    std::array<std::size_t, kMostLevels> counts_{};
    double sum_ = 0;
    std::size_t elements_ = 0;
};

}  // namespace

EntropyReference::EntropyReference(LevelArray levels, const Entropy& entropy)
    : levels_(std::move(levels)), radius_(entropy.window / 2) {
    const int most = entropy.window * entropy.window;
    for (int n = 0; n <= most; ++n) {
        logs_.push_back(n == 0 ? 0 : n * std::log(n));
    }
    if (std::min(levels_.rows, levels_.columns) < entropy.window) {
        return;
    }
    const auto period = static_cast<std::int64_t>(levels_.pattern.size());
    const std::int64_t elements = levels_.rows * levels_.columns;
    // The distance from an element back to the first element of its window.
    const std::int64_t back = radius_ * (levels_.columns + 1) % period;
    for (std::int64_t place = 0; place < std::min(period, elements); ++place) {
        Counter counter(logs_);
        for (int y = 0; y < entropy.window; ++y) {
            const std::int64_t first = place + period - back + y * levels_.columns;
            for (int x = 0; x < entropy.window; ++x) {
                counter.add(levels_.pattern[static_cast<std::size_t>((first + x) % period)]);
            }
        }
        whole_.push_back(counter.entropy());
    }
}

double EntropyReference::at(std::int64_t row, std::int64_t column) const {
    const auto period = static_cast<std::int64_t>(levels_.pattern.size());
    Counter counter(logs_);
    const std::int64_t last_row = std::min(row + radius_, levels_.rows - 1);
    const std::int64_t last_column = std::min(column + radius_, levels_.columns - 1);
    for (std::int64_t y = std::max(row - radius_, std::int64_t{0}); y <= last_row; ++y) {
        for (std::int64_t x = std::max(column - radius_, std::int64_t{0}); x <= last_column; ++x) {
            const std::int64_t place = (y * levels_.columns + x) % period;
            counter.add(levels_.pattern[static_cast<std::size_t>(place)]);
        }
    }
    return counter.entropy();
}

bool EntropyReference::has_whole_windows(std::int64_t row) const {
    return row >= radius_ && row + radius_ < levels_.rows && levels_.columns > 2 * radius_;
}

std::int64_t EntropyReference::first_off(const float* output, std::int64_t row, std::int64_t begin,
                                         std::int64_t end, double tolerance) const {
    for (std::int64_t x = begin; x < end; ++x) {
        if (!(std::abs(static_cast<double>(output[x]) - at(row, x)) <= tolerance)) {
            return x;
        }
    }
    return end;
}

std::int64_t EntropyReference::first_whole_off(const float* output, std::int64_t row,
                                               std::int64_t begin, std::int64_t end,
                                               double tolerance) const {
    const auto period = static_cast<std::int64_t>(levels_.pattern.size());
    for (std::int64_t x = begin; x < end;) {
        const std::int64_t place = (row * levels_.columns + x) % period;
        const std::int64_t count = std::min(end - x, period - place);
        const double* const expected = whole_.data() + place;
        bool all = true;  // no early exit, so that the loop is vectorized
        for (std::int64_t i = 0; i < count; ++i) {
            all &= std::abs(static_cast<double>(output[x + i]) - expected[i]) <= tolerance;
        }
        if (!all) {
            return first_off(output, row, x, x + count, tolerance);
        }
        x += count;
    }
    return end;
}

std::string EntropyReference::compare(std::span<const float> output, double tolerance) const {
    const std::int64_t columns = levels_.columns;
    for (std::int64_t y = 0; y < levels_.rows; ++y) {
        const float* const row = output.data() + y * columns;
        const std::int64_t left = has_whole_windows(y) ? radius_ : columns;
        const std::int64_t right = has_whole_windows(y) ? columns - radius_ : columns;
        std::int64_t x = first_off(row, y, 0, left, tolerance);
        if (x == left) {
            x = first_whole_off(row, y, left, right, tolerance);
        }
        if (x == right) {
            x = first_off(row, y, right, columns, tolerance);
        }
        if (x < columns) {
            return fmt::format("row {} column {}: got {}, expected {} ± {}", y, x, row[x], at(y, x),
                               tolerance);
        }
    }
    return {};
}

}  // namespace jitune::internal
