// SPDX-License-Identifier: Apache-2.0
// Results of 16 bits, and extremes of integers in their own type, on the CPU.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"
#include "jitune/reduce_shapes.hpp"

namespace jitune::internal {
namespace {

class ReduceNarrow : public testing::Test {
protected:
    static Options default_only() {
        Options options;
        options.database.clear();
        options.on_miss = TunePolicy::template_default;
        options.worker = "none";
        return options;
    }

    /// The rounding of each float by a kernel: a custom operation that takes rows of one element.
    template <class R>
    std::vector<R> rounded(const std::vector<float>& values) {
        CustomOperation same;
        same.name = "same";
        same.state = "float";
        same.identity = "-0.0f";
        same.map = "x";
        same.combine = "a + b";
        same.result = kElementType<R>;
        return tuned_reduce_rows<R>(values, static_cast<std::int64_t>(values.size()), 1, same,
                                    session_);
    }

    Session session_{default_only()};
};

/// Small whole numbers.
template <class T>
std::vector<T> counted(std::size_t n) {
    std::vector<T> values;
    for (std::size_t i = 0; i < n; ++i) {
        values.emplace_back(static_cast<float>(i % 11) - 3);
    }
    return values;
}

template <class T>
std::vector<float> floats(const std::vector<T>& values) {
    std::vector<float> result;
    for (const T value : values) {
        result.push_back(static_cast<float>(value));
    }
    return result;
}

template <class T>
class ReduceNarrowFloat : public ReduceNarrow {};
using NarrowFloats = testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(ReduceNarrowFloat, NarrowFloats);

TYPED_TEST(ReduceNarrowFloat, IsTheWideResultRoundedOnce) {
    using T = TypeParam;
    Session& session = this->session_;
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::mean, ReduceOp::norm, ReduceOp::max,
                              ReduceOp::sum_abs, ReduceOp::product}) {
        for (const std::size_t n : {1U, 7U, 1000U, 3001U, 70'001U}) {
            SCOPED_TRACE(std::string(to_string(op)) + " " + std::to_string(n));
            const auto values = counted<T>(n);
            EXPECT_EQ(tuned_reduce<T>(values, op, session).bits,
                      T(tuned_reduce<float>(values, op, session)).bits);
        }
        constexpr std::int64_t kRows = 300;
        constexpr std::int64_t kColumns = 70;
        const auto values = counted<T>(kRows * kColumns);
        const auto expect_rounded = [](const std::vector<T>& got, const std::vector<float>& wide) {
            ASSERT_EQ(got.size(), wide.size());
            for (std::size_t i = 0; i < got.size(); ++i) {
                EXPECT_EQ(got[i].bits, T(wide[i]).bits) << i;
            }
        };
        expect_rounded(tuned_reduce_rows<T>(values, kRows, kColumns, op, session),
                       tuned_reduce_rows<float>(values, kRows, kColumns, op, session));
        expect_rounded(tuned_reduce_columns<T>(values, kRows, kColumns, op, session),
                       tuned_reduce_columns<float>(values, kRows, kColumns, op, session));
        const std::vector<std::int64_t> offsets{0, 0, 5, 2000, kRows * kColumns};
        expect_rounded(tuned_reduce_segments<T>(values, offsets, op, session),
                       tuned_reduce_segments<float>(values, offsets, op, session));
    }
}

TYPED_TEST(ReduceNarrowFloat, OverflowsToInfinityAndKeepsNan) {
    using T = TypeParam;
    const float most = std::is_same_v<T, float16> ? 65504.0F : 3.3895314e38F;
    const std::vector<T> large(2, T(most));
    EXPECT_EQ(static_cast<float>(tuned_reduce<T>(large, ReduceOp::sum, this->session_)), HUGE_VALF);
    std::vector<T> values(5000, T(1.0F));
    values[4321] = T(std::numeric_limits<float>::quiet_NaN());
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::mean}) {
        EXPECT_TRUE(std::isnan(static_cast<float>(tuned_reduce<T>(values, op, this->session_))));
    }
}

TYPED_TEST(ReduceNarrowFloat, RoundsAnyFloatToTheNearest) {
    using T = TypeParam;
    std::mt19937_64 random(1);
    std::vector<float> values{0.0F, -0.0F, HUGE_VALF, -HUGE_VALF, 65519.9F, 65520.0F, 0x1p-25F};
    while (values.size() < 100'000) {
        values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    }
    const std::vector<T> got = this->template rounded<T>(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const T wanted(values[i]);
        const bool is_nan = values[i] != values[i];
        ASSERT_TRUE(is_nan ? std::isnan(static_cast<float>(got[i])) : got[i].bits == wanted.bits)
            << values[i] << " became " << static_cast<float>(got[i]);
    }
}

template <class T>
class ReduceNarrowInteger : public ReduceNarrow {};
using NarrowIntegers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>;
TYPED_TEST_SUITE(ReduceNarrowInteger, NarrowIntegers);

TYPED_TEST(ReduceNarrowInteger, ExtremesAreOfTheElementsType) {
    using T = TypeParam;
    using Limits = std::numeric_limits<T>;
    std::vector<T> values(9001, T{5});
    values[77] = Limits::lowest();
    values[8000] = Limits::max();
    Session& session = this->session_;
    EXPECT_EQ(tuned_reduce<T>(values, ReduceOp::min, session), Limits::lowest());
    EXPECT_EQ(tuned_reduce<T>(values, ReduceOp::max, session), Limits::max());
    const auto rows = tuned_reduce_rows<T>(values, 9001, 1, ReduceOp::max, session);
    EXPECT_EQ(rows, values);
    EXPECT_EQ(tuned_reduce_columns<T>(values, 9001, 1, ReduceOp::min, session).at(0),
              Limits::lowest());
    // Of no elements the other extreme of this type.
    const std::vector<std::int64_t> offsets{0, 10, 10, 9001, 9001};
    EXPECT_EQ(tuned_reduce_segments<T>(values, offsets, ReduceOp::min, session),
              (std::vector<T>{5, Limits::max(), Limits::lowest(), Limits::max()}));
    EXPECT_EQ(tuned_reduce_segments<T>(values, offsets, ReduceOp::max, session),
              (std::vector<T>{5, Limits::lowest(), Limits::max(), Limits::lowest()}));
    EXPECT_EQ(tuned_reduce<T>(std::vector<T>{}, ReduceOp::min, session), Limits::max());
    expect_error(ErrorKind::usage, "sum of",
                 [&] { static_cast<void>(tuned_reduce<T>(values, ReduceOp::sum, session)); });
}

}  // namespace
}  // namespace jitune::internal
