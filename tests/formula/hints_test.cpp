// SPDX-License-Identifier: Apache-2.0
#include "formula/hints.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(FormulaHints, NameWhatOthersCallDifferently) {
    EXPECT_EQ(formula_hint("argmax"), "write arg_max");
    EXPECT_EQ(formula_hint("ArgMin"), "write arg_min");
    EXPECT_EQ(formula_hint("logsumexp"), "write log_sum_exp");
    EXPECT_EQ(formula_hint("prod"), "write product");
    EXPECT_EQ(formula_hint("amax"), "write max");
    EXPECT_EQ(formula_hint("average"), "write mean");
    EXPECT_EQ(formula_hint("arctan2"), "write atan2");
    EXPECT_EQ(formula_hint("nansum"), "write sum(x, not isnan(x))");
    EXPECT_EQ(formula_hint("nanprod"), "write product(x, not isnan(x))");
    EXPECT_EQ(formula_hint("inner_product"), "write sum(x * y)");
    EXPECT_EQ(formula_hint("sumx"), "");
    EXPECT_EQ(formula_hint("max_element"), "write arg_max");
    EXPECT_EQ(formula_hint("minmax_element"), "write low = arg_min(x); high = arg_max(x)");
    EXPECT_EQ(formula_hint("count_if"), "write count_nonzero(x > 3)");
    EXPECT_EQ(formula_hint("reduce"), "write sum(x), max(x) or another operation");
    EXPECT_EQ(formula_hint("len"), "write n");
    EXPECT_EQ(formula_hint("inclusive_scan"), "formulas have no sort, scan or quantile");
    EXPECT_EQ(formula_hint("axis"), "");
    EXPECT_EQ(formula_hint("initial="),
              "an initial value stands in the expression, as in start + sum(x)");
    EXPECT_EQ(formula_hint("nansqrt"), "");
    EXPECT_EQ(formula_hint("_"), "");
}

TEST(FormulaHints, NamesOfInputsAreTakenForConstantsOnlyIfTheyLookLikeThem) {
    EXPECT_EQ(constant_hint("M_PI"), "write 3.141592653589793");
    EXPECT_EQ(constant_hint("True"), "write true");
    EXPECT_EQ(constant_hint("inf"), "give it as an input, a scalar");
    EXPECT_EQ(constant_hint("size"), "");
    EXPECT_EQ(constant_hint("x"), "");
}

}  // namespace
}  // namespace jitune::internal
