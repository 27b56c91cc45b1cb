// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_reference.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

template <class T>
std::vector<std::byte> as_bytes(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

/// The results of reducing a layout that repeats `pattern`.
template <class R, class T>
std::vector<R> reduce(ReduceOp op, const ReduceLayout& layout, const std::vector<T>& pattern) {
    const Expected expected =
        reduce_reference({kElementType<T>, op, kElementType<R>}, layout, as_bytes(pattern));
    std::vector<R> results(expected.values.size() / sizeof(R));
    std::memcpy(results.data(), expected.values.data(), expected.values.size());
    return results;
}

/// The reduction of n elements that repeat `pattern`.
template <class R, class T>
R reduce(ReduceOp op, const std::vector<T>& pattern, std::size_t n) {
    return reduce<R>(op, layout_of(ReduceKind::all, 1, static_cast<std::int64_t>(n)), pattern)
        .at(0);
}
template <class R, class T>
R reduce(ReduceOp op, const std::vector<T>& values) {
    return reduce<R>(op, values, values.size());
}

using Int32 = std::vector<std::int32_t>;
using Floats = std::vector<float>;
using Op = ReduceOp;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr auto kLowest = std::numeric_limits<std::int32_t>::lowest();
constexpr auto kHighest = std::numeric_limits<std::int32_t>::max();

TEST(ReduceReference, SumsPatternsThatRepeatEndEarlyOrEndInTheMiddle) {
    const auto sum = [](std::size_t n) {
        return reduce<std::int32_t>(Op::sum, Int32{1, -2, 30}, n);
    };
    EXPECT_EQ(sum(1), 1);
    EXPECT_EQ(sum(2), -1);
    EXPECT_EQ(sum(3), 29);
    EXPECT_EQ(sum(4), 30);
    EXPECT_EQ(sum(6), 58);
    EXPECT_EQ(sum(3000), 29'000);
    EXPECT_EQ(sum(3001), 29'001);
}

TEST(ReduceReference, LongRowsOfAPatternBeginAndEndAnywhere) {
    Int32 pattern(1000);
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        pattern[i] = static_cast<std::int32_t>(i * 7919 % 1009);
    }
    for (const std::int64_t columns : {255, 256, 257, 700, 1000, 2300}) {
        const ReduceLayout layout = layout_of(ReduceKind::rows, 37, columns);
        std::vector<std::int32_t> sums;
        std::vector<std::int64_t> largest;
        for (std::int64_t row = 0; row < 37; ++row) {
            sums.push_back(0);
            largest.push_back(0);
            const auto at = [&](std::int64_t column) {
                return pattern[static_cast<std::size_t>((row * columns + column) % 1000)];
            };
            for (std::int64_t column = 0; column < columns; ++column) {
                sums.back() += at(column);
                largest.back() = at(column) > at(largest.back()) ? column : largest.back();
            }
        }
        EXPECT_EQ(reduce<std::int32_t>(Op::sum, layout, pattern), sums) << columns;
        EXPECT_EQ(reduce<std::int64_t>(Op::arg_max, layout, pattern), largest) << columns;
    }
}

TEST(ReduceReference, LongColumnsOfAPatternBeginAnywhere) {
    const Int32 pattern{3, 1, 4, 1, 5, 9, 2};
    for (const std::int64_t columns : {1, 6, 7, 10, 23}) {
        for (const std::int64_t rows : {4096, 5001, 10'007}) {
            const ReduceLayout layout = layout_of(ReduceKind::columns, rows, columns);
            std::vector<std::int32_t> sums;
            std::vector<std::int64_t> largest;
            for (std::int64_t column = 0; column < columns; ++column) {
                sums.push_back(0);
                largest.push_back(0);
                const auto at = [&](std::int64_t row) {
                    return pattern[static_cast<std::size_t>((row * columns + column) % 7)];
                };
                for (std::int64_t row = 0; row < rows; ++row) {
                    sums.back() += at(row);
                    largest.back() = at(row) > at(largest.back()) ? row : largest.back();
                }
            }
            EXPECT_EQ(reduce<std::int32_t>(Op::sum, layout, pattern), sums) << rows << columns;
            EXPECT_EQ(reduce<std::int64_t>(Op::arg_max, layout, pattern), largest)
                << rows << columns;
        }
    }
}

TEST(ReduceReference, SumsFloatsTheSameWay) {
    const std::vector<double> pattern{0.5, -2, 30};
    for (std::size_t n = 1; n < 20; ++n) {
        double expected = 0;
        for (std::size_t i = 0; i < n; ++i) {
            expected += pattern[i % 3];
        }
        EXPECT_EQ(reduce<double>(Op::sum, pattern, n), expected);
        EXPECT_EQ(reduce<float>(Op::sum, Floats{0.5F, -2, 30}, n), static_cast<float>(expected));
    }
}

TEST(ReduceReference, WrapsIntegersInTheResultsType) {
    EXPECT_EQ(reduce<std::int32_t>(Op::sum, Int32{kHighest, 1}), kLowest);
    EXPECT_EQ(reduce<std::int64_t>(Op::sum, Int32{kHighest, 1}), std::int64_t{1} << 31);
    EXPECT_EQ(reduce<std::int32_t>(Op::sum, Int32{-1}, std::size_t{1} << 31), kLowest);
    EXPECT_EQ(reduce<std::uint32_t>(Op::sum, std::vector<std::uint8_t>{255}, 1000), 255'000U);
    EXPECT_EQ(reduce<std::int32_t>(Op::product, Int32{1 << 16, 1 << 16}), 0);
    EXPECT_EQ(reduce<std::int64_t>(Op::product, Int32{1 << 16, -(1 << 16)}), -(1LL << 32));
    EXPECT_EQ(reduce<std::int32_t>(Op::sum_of_squares, Int32{1 << 16, 3}), 9);
    EXPECT_EQ(reduce<std::int32_t>(Op::product, Int32{-1, 3}, 6), -27);
}

TEST(ReduceReference, TakesTheLowestIntegersMagnitudeAsItWraps) {
    EXPECT_EQ(reduce<std::int32_t>(Op::max_abs, Int32{5, kLowest, kHighest}), kLowest);
    EXPECT_EQ(reduce<std::int64_t>(Op::max_abs, Int32{5, kLowest, kHighest}), 1LL << 31);
    EXPECT_EQ(reduce<std::int32_t>(Op::sum_abs, Int32{kLowest, -1}), kLowest + 1);
    EXPECT_EQ(reduce<std::int32_t>(Op::max_abs, std::vector<std::int8_t>{-128, 127}), 128);
}

TEST(ReduceReference, LosesNoSmallSummand) {
    EXPECT_EQ(reduce<double>(Op::sum, std::vector<double>{1e16, 1, -1e16}), 1);
    EXPECT_EQ(reduce<float>(Op::sum, Floats{1e8F, 1, -1e8F}), 1);
    EXPECT_EQ(reduce<float>(Op::sum, Floats{1e8F, 1, -1e8F}, 3000), 1000);
}

TEST(ReduceReference, ReadsHalves) {
    const std::vector<float16> halves{float16(0.5F), float16(-3), float16(0x1p-24F)};
    EXPECT_EQ(reduce<double>(Op::sum, halves), -2.5 + 0x1p-24);
    EXPECT_EQ(reduce<float>(Op::max_abs, halves), 3);
    EXPECT_EQ(reduce<std::int64_t>(Op::count_nonzero, halves), 3);
    EXPECT_EQ(reduce<float>(Op::min, std::vector<bfloat16>{bfloat16(0x1p-130F), bfloat16(1)}),
              0x1p-130F);
}

TEST(ReduceReference, AveragesAndTakesRoots) {
    EXPECT_EQ(reduce<double>(Op::mean, Int32{1, 2, 4, 0}), 1.75);
    EXPECT_EQ(reduce<double>(Op::mean, Int32{kHighest, kHighest}), kHighest);
    EXPECT_EQ(reduce<float>(Op::mean, Floats{0.5F, 1}), 0.75F);
    EXPECT_EQ(reduce<double>(Op::norm, Int32{3, -4}), 5);
    EXPECT_EQ(reduce<float>(Op::norm, Floats{3, -4}), 5);
    EXPECT_EQ(reduce<float>(Op::sum_of_squares, Floats{3, -4}), 25);
    EXPECT_EQ(reduce<float>(Op::sum_abs, Floats{3, -4}), 7);
}

TEST(ReduceReference, FindsExtremesAndCarriesNan) {
    EXPECT_EQ(reduce<std::int64_t>(Op::min, std::vector<std::int64_t>{3, -7, 5}), -7);
    EXPECT_EQ(reduce<std::int64_t>(Op::min, std::vector<std::int64_t>{3, -7, 5}, 1), 3);
    EXPECT_EQ(reduce<std::int64_t>(Op::max, std::vector<std::int64_t>{3, -7, 5}, 30), 5);
    EXPECT_EQ(reduce<float>(Op::max, Floats{-3, -7}), -3);
    for (const Op op : {Op::min, Op::max, Op::max_abs, Op::sum, Op::sum_abs, Op::product, Op::mean,
                        Op::norm, Op::sum_of_squares}) {
        for (std::size_t spot = 0; spot < 3; ++spot) {
            Floats values{1, 2, 3};
            values[spot] = kNan;
            EXPECT_TRUE(std::isnan(reduce<float>(op, values))) << to_string(op);
        }
        EXPECT_FALSE(std::isnan(reduce<float>(op, Floats{1, 2, kNan}, 2)));
    }
}

TEST(ReduceReference, CarriesInfinities) {
    EXPECT_EQ(reduce<float>(Op::sum, Floats{1, HUGE_VALF, 2}), HUGE_VALF);
    EXPECT_EQ(reduce<float>(Op::sum, Floats{1, HUGE_VALF, 2}, 7), HUGE_VALF);
    EXPECT_TRUE(std::isnan(reduce<float>(Op::sum, Floats{HUGE_VALF, -HUGE_VALF})));
    EXPECT_EQ(reduce<float>(Op::norm, Floats{1, -HUGE_VALF}), HUGE_VALF);
    EXPECT_EQ(reduce<float>(Op::max, Floats{-HUGE_VALF}), -HUGE_VALF);
}

TEST(ReduceReference, FindsTheFirstExtremeAndTheFirstNan) {
    const auto index = [](Op op, const Floats& values, std::size_t n) {
        return reduce<std::int64_t>(op, values, n);
    };
    EXPECT_EQ(index(Op::arg_min, {3, 1, 2, 1}, 4), 1);
    EXPECT_EQ(index(Op::arg_max, {2, 3, 3}, 3), 1);
    EXPECT_EQ(index(Op::arg_max, {2, 3, 3}, 3001), 1);
    EXPECT_EQ(index(Op::arg_min, {0.0F, -0.0F}, 2), 0);
    EXPECT_EQ(index(Op::arg_max, {-0.0F, 0.0F}, 2), 0);
    EXPECT_EQ(index(Op::arg_min, {1, kNan, -HUGE_VALF, kNan}, 4), 1);
    EXPECT_EQ(index(Op::arg_max, {1, kNan, HUGE_VALF, kNan}, 4), 1);
    EXPECT_EQ(index(Op::arg_max, {-HUGE_VALF, -HUGE_VALF}, 2), 0);
}

TEST(ReduceReference, CountsNonzeroElements) {
    const Floats values{0, -0.0F, kNan, 1, std::numeric_limits<float>::denorm_min()};
    EXPECT_EQ(reduce<std::int64_t>(Op::count_nonzero, values), 3);
    EXPECT_EQ(reduce<std::int64_t>(Op::count_nonzero, values, 5'000'000'002), 3'000'000'000);
    EXPECT_EQ(reduce<std::uint8_t>(Op::any, values, 2), 0);
    EXPECT_EQ(reduce<std::uint8_t>(Op::any, values, 3), 1);
    EXPECT_EQ(reduce<std::uint8_t>(Op::all, values), 0);
    EXPECT_EQ(reduce<std::uint8_t>(Op::all, Int32{256, kLowest}, 5), 1);
}

TEST(ReduceReference, ReducesRowsAndColumnsOfARepeatedPattern) {
    const Int32 pattern{1, 10, 100, 1000, 10'000};
    // 1     10     100
    // 1000  10000  1
    // 10    100    1000
    const auto matrix = [&](ReduceKind kind, Op op) {
        return reduce<std::int32_t>(op, layout_of(kind, 3, 3), pattern);
    };
    EXPECT_EQ(matrix(ReduceKind::rows, Op::sum), (Int32{111, 11'001, 1110}));
    EXPECT_EQ(matrix(ReduceKind::columns, Op::sum), (Int32{1011, 10'110, 1101}));
    EXPECT_EQ(matrix(ReduceKind::rows, Op::max), (Int32{100, 10'000, 1000}));
    EXPECT_EQ(matrix(ReduceKind::columns, Op::min), (Int32{1, 10, 1}));
    EXPECT_EQ(reduce<std::int64_t>(Op::arg_max, layout_of(ReduceKind::rows, 3, 3), pattern),
              (std::vector<std::int64_t>{2, 1, 2}));
    EXPECT_EQ(reduce<std::int64_t>(Op::arg_max, layout_of(ReduceKind::columns, 3, 3), pattern),
              (std::vector<std::int64_t>{1, 1, 2}));
}

TEST(ReduceReference, ReducesManyColumnsAndLongRowsLikeSingleElements) {
    const Int32 pattern{3, 1, 4, 1, 5, 9, 2};
    const auto element = [&](std::int64_t i) { return pattern[static_cast<std::size_t>(i % 7)]; };
    const std::int64_t columns = 1500;
    const auto down =
        reduce<std::int32_t>(Op::sum, layout_of(ReduceKind::columns, 5, columns), pattern);
    const auto across =
        reduce<std::int32_t>(Op::sum, layout_of(ReduceKind::rows, 5, columns), pattern);
    Int32 want_down(columns, 0);
    Int32 want_across(5, 0);
    for (std::int64_t i = 0; i < 5 * columns; ++i) {
        want_down[static_cast<std::size_t>(i % columns)] += element(i);
        want_across[static_cast<std::size_t>(i / columns)] += element(i);
    }
    EXPECT_EQ(down, want_down);
    EXPECT_EQ(across, want_across);
}

TEST(ReduceReference, GivesEmptySegmentsTheValueOfNothing) {
    const ReduceLayout layout{{ReduceKind::segments, 4, 3}, {0, 0, 2, 3, 3}};
    const Int32 values{5, 7, -1};
    EXPECT_EQ(reduce<std::int32_t>(Op::sum, layout, values), (Int32{0, 12, -1, 0}));
    EXPECT_EQ(reduce<std::int32_t>(Op::min, layout, values), (Int32{kHighest, 5, -1, kHighest}));
    EXPECT_EQ(reduce<std::int64_t>(Op::arg_max, layout, values),
              (std::vector<std::int64_t>{-1, 1, 0, -1}));
    const auto means = reduce<double>(Op::mean, layout, values);
    EXPECT_TRUE(std::isnan(means[0]));
    EXPECT_EQ(means[1], 6);
    EXPECT_TRUE(std::isnan(means[3]));
}

TEST(ReduceReference, IsExactUntilFloatsMustRound) {
    const auto tolerance = [](Op op, ElementType type, std::int64_t n) {
        return reduce_reference({type, op, type}, layout_of(ReduceKind::all, 1, n),
                                as_bytes<double>({0.5, -0.5, 0.25}))
            .tolerance;
    };
    constexpr std::int64_t kExact = 1 << 24;
    EXPECT_EQ(tolerance(Op::sum, ElementType::float32, kExact).absolute, 0);
    EXPECT_GT(tolerance(Op::sum, ElementType::float32, kExact + 1).absolute, 0);
    EXPECT_EQ(tolerance(Op::sum, ElementType::float64, kExact << 9).absolute, 0);
    for (const Op op : {Op::sum, Op::sum_abs, Op::sum_of_squares, Op::product, Op::max}) {
        EXPECT_EQ(tolerance(op, ElementType::float32, 1000).relative, 0) << to_string(op);
    }
    EXPECT_LT(tolerance(Op::mean, ElementType::float32, 1000).relative, 1e-6);
}

TEST(ReduceReference, RefusesACustomOperation) {
    expect_error(ErrorKind::usage, "custom", [] { reduce<std::int32_t>(Op::custom, Int32{1}); });
}

}  // namespace
}  // namespace jitune::internal
