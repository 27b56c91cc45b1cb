// SPDX-License-Identifier: Apache-2.0
#include "space/expression.hpp"

#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
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

TEST(Expression, ComparesNumbersByExactValueAndBeforeText) {
    for (const char* text :
         {"1 = 1.0", "9007199254740993 > 9007199254740992.0",
          "9223372036854775807 < 9223372036854775808.0",
          "-9223372036854775807 - 1 = -9223372036854775808.0", "1e19 > 9223372036854775807",
          "-1e19 < -9223372036854775807", "-1.5 < -1", "'a' > 1", "1e300 < 'a'", "'a' < 'b'",
          "2 IN (1, 2.0)", "'a' IN (1, 'a')"}) {
        EXPECT_EQ(value_of(text), integer(1)) << text;
    }
}

TEST(Expression, CalculatesWithMixedTypesAsSqlDoes) {
    EXPECT_EQ(value_of("'a' + 1"), integer(1));
    EXPECT_EQ(value_of("-'a'"), integer(0));
    EXPECT_EQ(value_of("abs('a')"), Scalar(0.0));
    EXPECT_EQ(value_of("7.9 % 2"), Scalar(1.0));
    EXPECT_EQ(value_of("-1e19 % 7"), Scalar(-1.0));
    EXPECT_EQ(value_of("1e308 * 10 - 1e308 * 10"), kNull);
    EXPECT_EQ(value_of("min(1, 1.0)"), Scalar(1.0));
    EXPECT_EQ(value_of("max(1, 1.0)"), integer(1));
    EXPECT_EQ(value_of("max('a', 2)"), Scalar("a"));
    EXPECT_EQ(value_of("min(1, 1 / 0)"), kNull);
    EXPECT_EQ(value_of("NOT 'a'"), integer(1));
    EXPECT_EQ(value_of("NOT 0.5"), integer(0));
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
    EXPECT_EQ(folded("iif(name = 'tree', x + 1, y)").tree_text(), "(\"x\" + 1)");
    EXPECT_EQ(folded("x + (2 * 3 + zero)").tree_text(), "(\"x\" + 6)");
    EXPECT_EQ(folded("x OR zero").constant_value(), std::nullopt);
}

TEST(Expression, WritesItsTree) {
    const auto written = [](std::string_view text) { return Expression::parse(text).tree_text(); };
    EXPECT_EQ(written("not a AND -b = 2 OR c <> 'x'"),
              R"((((NOT "a") AND ((-"b") = 2)) OR ("c" != 'x')))");
    EXPECT_EQ(written("a NOT IN (1, b)"), R"((NOT ("a" IN (1, "b"))))");
    EXPECT_EQ(written("IIF(a, min(a, 2, -3), ceil_div(abs(a), 2))"),
              R"(iif("a", min("a", 2, (-3)), ceil_div(abs("a"), 2)))");
}

TEST(Expression, IsCutWhereAndConnectsIt) {
    std::vector<std::string> texts;
    for (const Expression& part :
         Expression::parse("a AND (b OR c) AND (1 AND d > 2)").conjuncts()) {
        texts.push_back(part.text());
    }
    EXPECT_EQ(texts, (std::vector<std::string>{R"("a")", R"(("b" OR "c"))", "1", R"(("d" > 2))"}));
}

TEST(Expression, IsSolvedForANameThatIsASideOfItsOwn) {
    const auto solution = [](std::string_view text) {
        const auto found = Expression::parse(text).solved_for("a");
        return found ? found->tree_text() : "";
    };
    EXPECT_EQ(solution("a = b + 1"), R"(("b" + 1))");
    EXPECT_EQ(solution("b * c = a"), R"(("b" * "c"))");
    EXPECT_EQ(solution("a = b - a"), "");
    EXPECT_EQ(solution("a + 1 = b"), "");
    EXPECT_EQ(solution("a <= b"), "");
}

TEST(Expression, CountsOperationsAndOperands) {
    EXPECT_EQ(Expression::parse("a").size(), 1U);
    EXPECT_EQ(Expression::parse("a + 1 < min(b, 2)").size(), 7U);
}

TEST(Expression, WritesRealsThatReadBack) {
    EXPECT_EQ(Expression::constant(2.0).tree_text(), "2.0");
    EXPECT_EQ(Expression::constant(0.1).tree_text(), "0.1");
    EXPECT_EQ(Expression::constant(-1e300).tree_text(), "(-1e+300)");
    EXPECT_EQ(Expression::constant(kSmallest).tree_text(), "(-9223372036854775808)");
    EXPECT_EQ(value_of(Expression::constant(1.0 / 3).text()), Scalar(1.0 / 3));
    EXPECT_EQ(value_of(Expression::constant(kSmallest).text()), integer(kSmallest));
    EXPECT_EQ(Expression::constant("tree").text(), "'tree'");
    EXPECT_EQ(Expression::constant(kNull).tree_text(), "NULL");
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

/// A random text of the language, over the names a, b and word.
std::string random_text(std::mt19937_64& random, int depth) {
    const auto pick = [&](std::initializer_list<const char*> choices) {
        return std::string(choices.begin()[random() % choices.size()]);
    };
    if (depth == 0) {
        return pick({"a", "b", "word", "a", "b", "0", "1", "7", "0.5", "2.0", "'x'",
                     "9223372036854775807", "1e19"});
    }
    const auto part = [&] { return random_text(random, depth - 1); };
    switch (random() % 6) {
        case 0:
            return fmt::format("{}({}, {})", pick({"min", "max", "ceil_div"}), part(), part());
        case 1:
            return fmt::format("iif({}, {}, {})", part(), part(), part());
        case 2:
            return fmt::format("({} {} ({}, {}))", part(), pick({"IN", "NOT IN"}), part(), part());
        case 3:
            return fmt::format("({}({}))", pick({"NOT ", "- ", "abs"}), part());
        default:
            return fmt::format("({} {} {})", part(),
                               pick({"+", "-", "*", "/", "%", "=", "!=", "<", ">=", "AND", "OR"}),
                               part());
    }
}

TEST(Expression, HasTheSameValueInWhateverWayItsNamesGetTheirs) {
    const std::vector<Value> numbers{std::int64_t{3}, std::int64_t{-2}, std::int64_t{0}, kSmallest};
    const std::vector<Parameter> parameters{
        {"a", numbers}, {"word", {Value("x"), Value("y")}}, {"b", numbers}};
    const std::vector<std::string> integers{"b", "a"};
    std::mt19937_64 random(11);
    std::set<std::size_t> kinds;
    for (int i = 0; i < 2000; ++i) {
        const std::string text = random_text(random, 1 + i % 4);
        const Expression expression = Expression::parse(text);
        std::vector<std::int64_t> positions;
        Values values;
        for (const Parameter& parameter : parameters) {
            positions.push_back(static_cast<std::int64_t>(random() % parameter.values.size()));
            values[parameter.name] =
                to_scalar(parameter.values[static_cast<std::size_t>(positions.back())]);
        }
        const Scalar expected = *expression.bind(values).constant_value();
        kinds.insert(expected.index());
        const Expression chosen = expression.for_positions(parameters);
        ASSERT_EQ(chosen.evaluate(positions), expected) << text;
        ASSERT_EQ(chosen.holds(positions), is_true(expected)) << text;
        ASSERT_EQ(chosen.tree_text(), expression.tree_text());
        const Expression partly = expression.bind({{"word", values["word"]}});
        const std::vector<std::int64_t> slots{std::get<std::int64_t>(values["b"]),
                                              std::get<std::int64_t>(values["a"])};
        ASSERT_EQ(partly.for_slots(integers).evaluate(slots), expected) << text;
        ASSERT_EQ(partly.bind(values).constant_value(), expected) << text;
    }
    EXPECT_EQ(kinds.size(), 4U) << "each kind of value should have come up";
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
