#include "ops/reduce_reference.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "expect_error.hpp"

namespace jitune {
namespace {

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class T>
T value_of(const Expected& expected) {
    EXPECT_EQ(expected.value.size(), sizeof(T));
    T value;
    std::memcpy(&value, expected.value.data(), sizeof value);
    return value;
}

/// The reduction of n elements that repeat `pattern`.
template <class T>
T reduce(const char* element, const char* operation, const std::vector<T>& pattern, std::size_t n) {
    return value_of<T>(reduce_reference(element, operation, bytes_of(pattern), n * sizeof(T)));
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(ReduceReference, SumsPatternsThatRepeatEndEarlyOrEndInTheMiddle) {
    const std::vector<std::int32_t> pattern{1, -2, 30};
    const auto sum = [&](std::size_t n) { return reduce("int32", "sum", pattern, n); };
    EXPECT_EQ(sum(1), 1);
    EXPECT_EQ(sum(2), -1);
    EXPECT_EQ(sum(3), 29);
    EXPECT_EQ(sum(4), 30);
    EXPECT_EQ(sum(6), 58);
    EXPECT_EQ(sum(3000), 29'000);
    EXPECT_EQ(sum(3001), 29'001);
}

TEST(ReduceReference, SumsFloatsTheSameWay) {
    const std::vector<double> pattern{0.5, -2, 30};
    for (std::size_t n = 1; n < 20; ++n) {
        double expected = 0;
        for (std::size_t i = 0; i < n; ++i) {
            expected += pattern[i % 3];
        }
        EXPECT_EQ(reduce("float64", "sum", pattern, n), expected);
        EXPECT_EQ(reduce<float>("float32", "sum", {0.5F, -2, 30}, n), static_cast<float>(expected));
    }
}

TEST(ReduceReference, WrapsIntegers) {
    constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
    EXPECT_EQ(reduce<std::int32_t>("int32", "sum", {kMost, 1}, 2),
              std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(reduce<std::int32_t>("int32", "sum", {-1}, std::size_t{1} << 31),
              std::numeric_limits<std::int32_t>::min());
    constexpr auto kMost64 = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(reduce<std::int64_t>("int64", "sum", {kMost64, 2}, 2),
              std::numeric_limits<std::int64_t>::min() + 1);
}

TEST(ReduceReference, LosesNoSmallSummand) {
    EXPECT_EQ(reduce<double>("float64", "sum", {1e16, 1, -1e16}, 3), 1);
    EXPECT_EQ(reduce<float>("float32", "sum", {1e8F, 1, -1e8F}, 3), 1);
}

TEST(ReduceReference, FindsExtremesAndCarriesNan) {
    EXPECT_EQ(reduce<std::int64_t>("int64", "min", {3, -7, 5}, 3), -7);
    EXPECT_EQ(reduce<std::int64_t>("int64", "min", {3, -7, 5}, 1), 3);
    EXPECT_EQ(reduce<std::int64_t>("int64", "max", {3, -7, 5}, 30), 5);
    EXPECT_EQ(reduce<float>("float32", "max", {-3, -7}, 2), -3);
    for (const char* operation : {"min", "max"}) {
        for (std::size_t spot = 0; spot < 3; ++spot) {
            std::vector<float> values{1, 2, 3};
            values[spot] = kNan;
            EXPECT_TRUE(std::isnan(reduce("float32", operation, values, 3)));
        }
        EXPECT_FALSE(std::isnan(reduce<float>("float32", operation, {1, 2, kNan}, 2)));
    }
}

TEST(ReduceReference, IsExactUntilFloatsMustRound) {
    const auto tolerance = [](const char* element, std::size_t n, std::size_t size) {
        const auto pattern =
            size == 4 ? bytes_of<float>({0.5F, -0.5F, 0.25F}) : bytes_of<double>({0.5, -0.5, 0.25});
        return reduce_reference(element, "sum", pattern, n * size).tolerance;
    };
    EXPECT_EQ(tolerance("float32", std::size_t{1} << 24, 4), 0);
    EXPECT_GT(tolerance("float32", (std::size_t{1} << 24) + 1, 4), 0);
    EXPECT_EQ(tolerance("float64", std::size_t{1} << 33, 8), 0);
    EXPECT_EQ(reduce_reference("int32", "sum", bytes_of<int>({1}), 4).tolerance, 0);
}

TEST(ReduceReference, RefusesATypeItDoesNotHave) {
    expect_error(ErrorKind::usage, "\"float8\"",
                 [] { reduce_reference("float8", "sum", bytes_of<int>({1}), 4); });
}

/// What compare() says of `got` where `want` was expected.
template <class T>
std::string verdict(const char* element, T want, T got, double tolerance = 0) {
    return compare(element, {bytes_of<T>({want}), tolerance}, bytes_of<T>({got}));
}

TEST(ReduceCompare, AcceptsEqualValuesOnly) {
    EXPECT_EQ(verdict<std::int32_t>("int32", 4, 4), "");
    EXPECT_EQ(verdict<std::int32_t>("int32", 4, 3), "got 3, expected 4");
    EXPECT_EQ(verdict<float>("float32", 4, 4), "");
    EXPECT_NE(verdict<float>("float32", 4, std::nextafter(4.0F, 5.0F)), "");
    EXPECT_EQ(verdict<float>("float32", 0.0F, -0.0F), "");
    EXPECT_EQ(verdict<double>("float64", HUGE_VAL, HUGE_VAL), "");
    EXPECT_NE(verdict<double>("float64", HUGE_VAL, -HUGE_VAL), "");
}

TEST(ReduceCompare, AllowsTheTolerance) {
    EXPECT_EQ(verdict<float>("float32", 4, 4.25F, 0.25), "");
    EXPECT_NE(verdict<float>("float32", 4, 4.5F, 0.25), "");
    EXPECT_NE(verdict<float>("float32", 4, HUGE_VALF, 0.25), "");
}

TEST(ReduceCompare, TellsNanFromNumbers) {
    EXPECT_EQ(verdict<float>("float32", kNan, kNan), "");
    EXPECT_NE(verdict<float>("float32", kNan, 1, 1e30), "");
    EXPECT_NE(verdict<float>("float32", 1, kNan, 1e30), "");
}

}  // namespace
}  // namespace jitune
