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
    EXPECT_EQ(formula_hint("nan"), "");
    EXPECT_EQ(formula_hint("nansqrt"), "");
    EXPECT_EQ(formula_hint("_"), "");
}

}  // namespace
}  // namespace jitune::internal
