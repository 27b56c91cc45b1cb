// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_reference.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

template <class T>
std::vector<std::byte> bytes_of_all(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

/// What compare() says of `got` where `want` was expected.
template <class T>
std::string verdict(T want, T got, Tolerance tolerance = {}) {
    return compare({kElementType<T>, ReduceKind::all, bytes_of_all<T>({want}), tolerance},
                   bytes_of_all<T>({got}));
}

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

TEST(ReduceCompare, AcceptsEqualValuesOnly) {
    EXPECT_EQ(verdict<std::int32_t>(4, 4), "");
    EXPECT_EQ(verdict<std::int32_t>(4, 3), "got 3, expected 4");
    EXPECT_EQ(verdict<std::uint8_t>(1, 0xa5), "got 165, expected 1");
    EXPECT_EQ(verdict<float>(4, 4), "");
    EXPECT_NE(verdict<float>(4, std::nextafter(4.0F, 5.0F)), "");
    EXPECT_EQ(verdict<float>(0.0F, -0.0F), "");
    EXPECT_EQ(verdict<double>(HUGE_VAL, HUGE_VAL), "");
    EXPECT_NE(verdict<double>(HUGE_VAL, -HUGE_VAL), "");
    EXPECT_NE(verdict<std::int64_t>(1LL << 60, (1LL << 60) + 1), "");
}

TEST(ReduceCompare, NamesTheFirstWrongResult) {
    const auto expected = [](ReduceKind kind) {
        return Expected{ElementType::int32, kind, bytes_of_all<std::int32_t>({1, 2, 4, 5}), {}};
    };
    const auto got = bytes_of_all<std::int32_t>({1, 2, 3, 0});
    EXPECT_EQ(compare(expected(ReduceKind::rows), got), "row 2: got 3, expected 4");
    EXPECT_EQ(compare(expected(ReduceKind::columns), got), "column 2: got 3, expected 4");
    EXPECT_EQ(compare(expected(ReduceKind::segments), got), "segment 2: got 3, expected 4");
}

TEST(ReduceCompare, AllowsTheTolerance) {
    EXPECT_EQ(verdict<float>(4, 4.25F, {0.25, 0}), "");
    EXPECT_NE(verdict<float>(4, 4.5F, {0.25, 0}), "");
    EXPECT_EQ(verdict<float>(100, 101, {0, 0.01}), "");
    EXPECT_NE(verdict<float>(100, 102, {0, 0.01}), "");
    EXPECT_EQ(verdict<std::int32_t>(-100, -101, {0, 0.01}), "");
    EXPECT_NE(verdict<float>(4, HUGE_VALF, {0.25, 0.25}), "");
}

TEST(ReduceCompare, TellsNanFromNumbers) {
    EXPECT_EQ(verdict<float>(kNotANumber, -kNotANumber), "");
    EXPECT_NE(verdict<float>(kNotANumber, 1, {1e30, 1}), "");
    EXPECT_NE(verdict<float>(1, kNotANumber, {1e30, 1}), "");
}

TEST(ReduceCompare, FindsTheLargestFiniteMagnitude) {
    EXPECT_EQ(largest_magnitude(ElementType::float32,
                                bytes_of_all<float>({1, -3, kNotANumber, HUGE_VALF})),
              3);
    EXPECT_EQ(largest_magnitude(ElementType::int32, bytes_of_all<std::int32_t>({-7, 2})), 7);
    EXPECT_EQ(largest_magnitude(ElementType::int32, {}), 0);
}

}  // namespace
}  // namespace jitune::internal
