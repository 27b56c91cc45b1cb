// SPDX-License-Identifier: Apache-2.0
#include "space/combination_finder.hpp"

#include <fmt/format.h>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

/// `count` parameters of ten values each, and their strides.
struct Digits {
    explicit Digits(std::size_t count) {
        std::int64_t stride = 1;
        for (std::size_t i = 0; i < count; ++i) {
            Parameter digit{"p" + std::to_string(i), {}, 0};
            for (std::int64_t value = 0; value < 10; ++value) {
                digit.values.emplace_back(value);
            }
            parameters.push_back(std::move(digit));
            strides.push_back(stride);
            stride *= 10;
            sum += (sum.empty() ? "p" : " + p") + std::to_string(i);
        }
    }
    std::vector<Parameter> parameters;
    std::vector<std::int64_t> strides;
    std::string sum;
};

TEST(CombinationFinder, GivesUpWhereOneConstraintNeedsTooManyCombinations) {
    const Digits digits(12);
    CombinationFinder finder(digits.parameters, digits.strides, 1'000'000);
    const std::vector<Expression> never{Expression::parse(digits.sum + " = 109")};
    expect_error(ErrorKind::usage, "too many combinations to try",
                 [&] { static_cast<void>(finder.combinations(never)); });
    expect_error(ErrorKind::usage, "too many combinations to try",
                 [&] { static_cast<void>(finder.satisfiable(never)); });
}

TEST(CombinationFinder, RefusesATrillionCombinationsAtOnce) {
    const Digits digits(12);
    CombinationFinder finder(digits.parameters, digits.strides);
    expect_error(ErrorKind::usage, "add a constraint or list fewer values",
                 [&] { static_cast<void>(finder.combinations({})); });
}

TEST(CombinationFinder, TakesATrillionCombinationsThatConstraintsCutDown) {
    const Digits digits(12);
    CombinationFinder finder(digits.parameters, digits.strides, 10'000'000);
    std::vector<Expression> constraints;
    for (std::size_t i = 1; i < 12; ++i) {
        constraints.push_back(
            Expression::parse("p" + std::to_string(i) + " = p" + std::to_string(i - 1)));
    }
    EXPECT_EQ(finder.combinations(constraints).size(), 10U);
}

TEST(CombinationFinder, TestsEachPartOfAConjunctionAsEarlyAsItCan) {
    const Digits digits(12);
    CombinationFinder finder(digits.parameters, digits.strides, 10'000);
    std::string all = "p0 = 7";
    for (std::size_t i = 1; i < 12; ++i) {
        all += fmt::format(" AND p{} = p{}", i, i - 1);
    }
    const std::vector<Expression> constraint{Expression::parse(all)};
    EXPECT_EQ(finder.combinations(constraint), std::vector<std::int64_t>{777'777'777'777});
}

TEST(CombinationFinder, LooksUpTheValueThatAnEquationNames) {
    Digits digits(3);
    for (std::int64_t value = 10; value < 255; ++value) {
        digits.parameters[2].values.emplace_back(value);
    }
    CombinationFinder finder(digits.parameters, digits.strides, 1'000);
    const std::vector<Expression> constraint{Expression::parse("p0 * p1 = p2")};
    EXPECT_EQ(finder.combinations(constraint).size(), 100U);
}

TEST(CombinationFinder, CountsTheOperationsOfConstraints) {
    const Digits digits(2);
    const std::string text = "p0 + p1 + p0 + p1 + p0 + p1 + p0 + p1 >= 0";  // 17 for each of 100
    const std::vector<Expression> constraint{Expression::parse(text)};
    CombinationFinder enough(digits.parameters, digits.strides, 100 * 18 + 10);
    EXPECT_EQ(enough.combinations(constraint).size(), 100U);
    CombinationFinder too_few(digits.parameters, digits.strides, 1'000);
    expect_error(ErrorKind::usage, "too many combinations to try",
                 [&] { static_cast<void>(too_few.combinations(constraint)); });
}

}  // namespace
}  // namespace jitune::internal
