// SPDX-License-Identifier: Apache-2.0
#include "space/parameter_tables.hpp"

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

TEST(ParameterTables, GivesUpWhereOneConstraintNeedsTooManyCombinations) {
    const Digits digits(12);
    const ParameterTables tables(digits.parameters, digits.strides, 1'000'000);
    const std::vector<Expression> never{Expression::parse(digits.sum + " = 109")};
    expect_error(ErrorKind::usage, "too many combinations to try",
                 [&] { static_cast<void>(tables.combinations(never)); });
    expect_error(ErrorKind::usage, "too many combinations to try",
                 [&] { static_cast<void>(tables.satisfiable(never)); });
}

TEST(ParameterTables, RefusesATrillionCombinationsAtOnce) {
    const Digits digits(12);
    const ParameterTables tables(digits.parameters, digits.strides);
    expect_error(ErrorKind::usage, "add a constraint or list fewer values",
                 [&] { static_cast<void>(tables.combinations({})); });
}

TEST(ParameterTables, TakesATrillionCombinationsThatConstraintsCutDown) {
    const Digits digits(12);
    const ParameterTables tables(digits.parameters, digits.strides, 10'000'000);
    std::vector<Expression> constraints;
    for (std::size_t i = 1; i < 12; ++i) {
        constraints.push_back(
            Expression::parse("p" + std::to_string(i) + " = p" + std::to_string(i - 1)));
    }
    EXPECT_EQ(tables.combinations(constraints).size(), 10U);
}

}  // namespace
}  // namespace jitune::internal
