// SPDX-License-Identifier: Apache-2.0
#include "space/expression.hpp"

#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

using Values = std::map<std::string, Scalar>;

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

Scalar value_of(std::string_view text, const Values& values = {}) {
    const auto value = Expression::parse(text).bind(values).constant_value();
    EXPECT_TRUE(value.has_value()) << text;
    return value.value_or(std::monostate{});
}

Scalar integer(std::int64_t value) {
    return value;
}

const Scalar kNull = std::monostate{};

std::string parse_refusal(const std::string& text) {
    return refusal([&] { return Expression::parse(text); });
}

void expect_contains(const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is not in: " << text;
}

std::string repeated(std::string_view part, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += part;
    }
    return text;
}

TEST(Expression, DividesTowardsZeroAndByZeroToNull) {
    EXPECT_EQ(value_of("-7 / 2"), integer(-3));
    EXPECT_EQ(value_of("-7 % 2"), integer(-1));
    EXPECT_EQ(value_of("7 / 2.0"), Scalar(3.5));
    EXPECT_EQ(value_of("1 / 0"), kNull);
    EXPECT_EQ(value_of("1 % 0"), kNull);
    EXPECT_EQ(value_of("1.5 / 0.0"), kNull);
    EXPECT_EQ(value_of("-9223372036854775808 / -1"), Scalar(9223372036854775808.0));
    EXPECT_EQ(value_of("-9223372036854775808 % -1"), integer(0));
}

TEST(Expression, MakesRealsOfIntegersThatOverflow) {
    EXPECT_EQ(value_of("9223372036854775807 + 1"), Scalar(9223372036854775808.0));
    EXPECT_EQ(value_of("-9223372036854775807 - 2"), Scalar(-9223372036854775808.0));
    EXPECT_EQ(value_of("4294967296 * 4294967296"), Scalar(18446744073709551616.0));
    EXPECT_EQ(value_of("-x", {{"x", kSmallest}}), Scalar(9223372036854775808.0));
    EXPECT_EQ(value_of("abs(x)", {{"x", kSmallest}}), kNull);
}

TEST(Expression, RoundsCeilDivUp) {
    EXPECT_EQ(value_of("ceil_div(0, 8)"), integer(0));
    EXPECT_EQ(value_of("ceil_div(1, 8)"), integer(1));
    EXPECT_EQ(value_of("CEIL_DIV(16, 8)"), integer(2));
    EXPECT_EQ(value_of("ceil_div(17, 8)"), integer(3));
    EXPECT_EQ(value_of("ceil_div(17, 0)"), kNull);
}

TEST(Expression, KnowsThreeTruths) {
    EXPECT_EQ(value_of("0 AND nothing", {{"nothing", kNull}}), integer(0));
    EXPECT_EQ(value_of("1 AND nothing", {{"nothing", kNull}}), kNull);
    EXPECT_EQ(value_of("1 OR nothing", {{"nothing", kNull}}), integer(1));
    EXPECT_EQ(value_of("NOT nothing", {{"nothing", kNull}}), kNull);
    EXPECT_EQ(value_of("iif(nothing, 1, 2)", {{"nothing", kNull}}), integer(2));
    EXPECT_EQ(value_of("3 NOT IN (1, nothing)", {{"nothing", kNull}}), kNull);
    EXPECT_TRUE(is_true(value_of("0.5")));
    EXPECT_FALSE(is_true(value_of("0.0")));
    EXPECT_FALSE(is_true(Scalar("name")));
    EXPECT_FALSE(is_true(kNull));
}

TEST(Expression, HasKeywordsInAnyCaseAndNamesInTheirOwn) {
    const Expression expression =
        Expression::parse("Block in (1, 2) and not block Or IIF(1, 1, 1)");
    EXPECT_EQ(expression.names(), (std::set<std::string>{"Block", "block"}));
}

TEST(Expression, SubstitutesDefinitionsOnce) {
    const std::map<std::string, Expression> definitions{
        {"tile", Expression::parse("block * items")}, {"block", Expression::parse("tile + 1")}};
    const Expression expression = Expression::parse("tile <= limit").substitute(definitions);
    EXPECT_EQ(expression.names(), (std::set<std::string>{"block", "items", "limit"}));
    EXPECT_EQ(expression.text(), "tile <= limit");
}

TEST(Expression, FoldsWhatOneSideDecides) {
    const auto folded = [](std::string_view text) {
        return Expression::parse(text).bind({{"zero", integer(0)}, {"name", "tree"}});
    };
    EXPECT_EQ(folded("zero AND x").constant_value(), integer(0));
    EXPECT_EQ(folded("x > 1 AND zero").constant_value(), integer(0));
    EXPECT_EQ(folded("x OR zero = 0").constant_value(), integer(1));
    EXPECT_EQ(folded("iif(name = 'tree', x + 1, y)").sql(), "(\"x\" + 1)");
    EXPECT_EQ(folded("x + (2 * 3 + zero)").sql(), "(\"x\" + 6)");
    EXPECT_EQ(folded("x OR zero").constant_value(), std::nullopt);
}

TEST(Expression, WritesRealsThatReadBack) {
    EXPECT_EQ(Expression::constant(2.0).sql(), "2.0");
    EXPECT_EQ(Expression::constant(0.1).sql(), "0.1");
    EXPECT_EQ(Expression::constant(-1e300).sql(), "(-1e+300)");
    EXPECT_EQ(Expression::constant(kSmallest).sql(), "(-9223372036854775808)");
    EXPECT_EQ(value_of(Expression::constant(1.0 / 3).text()), Scalar(1.0 / 3));
    EXPECT_EQ(value_of(Expression::constant(kSmallest).text()), integer(kSmallest));
    EXPECT_EQ(Expression::constant("tree").text(), "'tree'");
    EXPECT_EQ(Expression::constant(kNull).sql(), "NULL");
}

TEST(Expression, RefusesChainedComparisonsWithAdvice) {
    expect_contains(parse_refusal("32 <= a <= 1024"),
                    "expression \"32 <= a <= 1024\", position 9: comparisons do not chain: write "
                    "32 <= a AND a <= 1024");
    expect_contains(parse_refusal("x AND a*2 < b+1 = c"), "write a*2 < b+1 AND b+1 = c");
    expect_contains(parse_refusal("a IN (1, 2) = 1"), "comparisons do not chain");
    expect_contains(parse_refusal("a = 1 NOT IN (0)"), "comparisons do not chain");
    EXPECT_EQ(value_of("(1 < 2) < 3"), integer(1));
}

TEST(Expression, NamesTheSqlSpellingOfForeignOperators) {
    expect_contains(parse_refusal("a && b"), "position 3: '&&' is refused: SQL spells it AND");
    expect_contains(parse_refusal("a || b"), "OR");
    expect_contains(parse_refusal("!a"), "SQL spells it NOT");
    expect_contains(parse_refusal("a ** 2"), "write a product");
    expect_contains(parse_refusal("a // 2"), "SQL spells it /");
    expect_contains(parse_refusal("a --2"), "comment");
    expect_contains(parse_refusal("\"a\" = 1"), "without quotes");
}

TEST(Expression, SaysWhereAndWhatItExpected) {
    expect_contains(parse_refusal(""), "position 1: expected a number, a name");
    expect_contains(parse_refusal("a +"), "position 4: expected a number");
    expect_contains(parse_refusal("(a"), "position 3: expected \")\", found the end");
    expect_contains(parse_refusal("a b"),
                    "position 3: expected an operator or the end, found \"b\"");
    expect_contains(parse_refusal("a NOT 3"), "position 7: expected \"IN\"");
    expect_contains(parse_refusal("a IN ()"), "position 7: expected a number");
    expect_contains(parse_refusal("pow(a, 2)"), "unknown function pow; the functions are min, max");
    expect_contains(parse_refusal("min(a)"), "min takes 2 to 100 arguments, found 1");
    expect_contains(parse_refusal("abs(a, b)"), "abs takes 1 arguments, found 2");
    expect_contains(parse_refusal("12abc"), "position 3: expected the number 12 to end here");
    expect_contains(parse_refusal("1.2.3"), "position 4");
    expect_contains(parse_refusal("a = 'x"), "position 5: expected a second '");
    expect_contains(parse_refusal("a = 'x'' OR 1'"), "expected");
    expect_contains(parse_refusal("a; DROP TABLE t"), "position 2: ';' has no meaning");
    expect_contains(parse_refusal("9223372036854775808"), "does not fit a 64-bit number");
    expect_contains(parse_refusal("1e999"), "does not fit");
    EXPECT_THROW(Expression::parse(std::string_view("a\0b", 3)), Error);
}

TEST(Expression, SurvivesHostileTexts) {
    expect_contains(parse_refusal(repeated("(", 100000)), "nested more than");
    expect_contains(parse_refusal(repeated("NOT ", 100000)), "nested more than");
    expect_contains(parse_refusal(repeated("- ", 100000)), "nested more than");
    expect_contains(parse_refusal(repeated("abs(", 100000)), "nested more than");
    expect_contains(parse_refusal("1" + repeated(" + 1", 100000)), "levels deep");
    expect_contains(parse_refusal("a IN (1" + repeated(", 1", 100000) + ")"), "split or simplify");
    EXPECT_NO_THROW(Expression::parse(repeated("(", 150) + "1" + repeated(")", 150)));
}

TEST(Expression, RefusesDefinitionsThatGrowWithoutBound) {
    const Expression doubling = Expression::parse("a + a");
    Expression expression = doubling;
    const auto grow = [&] {
        for (int i = 0; i < 64; ++i) {
            expression = expression.substitute({{"a", doubling}});
        }
    };
    expect_contains(refusal(grow), "split or simplify");

    const std::string nested = repeated("ceil_div(1, ", 60) + "a" + repeated(")", 60);
    expect_contains(refusal([&] { return Expression::parse(nested).sql(); }), "as SQL");
}

TEST(Expression, RefusesTextThatIsNoIdentifier) {
    expect_contains(refusal([] { return Expression::constant("x' OR 1"); }), "cannot be a value");
    expect_contains(refusal([] {
                        return Expression::parse("a").bind({{"a", "1"}});
                    }),
                    "cannot be a value");
    EXPECT_EQ(Expression::constant(std::numeric_limits<double>::quiet_NaN()).constant_value(),
              kNull);
}

TEST(Expression, RefusesNamesWithoutAValue) {
    const std::vector<std::string> names{"n"};
    expect_contains(refusal([&] { return Expression::parse("n + m").for_slots(names); }), "\"m\"");
    expect_contains(refusal([&] { return Expression::parse("n").evaluate(); }),
                    "\"n\" has no value");
    EXPECT_EQ(Expression::parse("n").constant_value(), std::nullopt);
}

TEST(Expression, IsEvaluatedByManyThreadsAtOnce) {
    const std::vector<std::string> names{"n"};
    const Expression grid =
        Expression::parse("min(1056, max(1, ceil_div(n, 8192)))").for_slots(names);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([grid] {
            for (std::int64_t n = 1; n < 20000; ++n) {
                ASSERT_EQ(grid.evaluate(std::span(&n, 1)), integer(1 + (n - 1) / 8192));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace
}  // namespace jitune::internal
