// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/python_expression.hpp"

#include <array>

#include "cli/formats/python_evaluator.hpp"
#include "fixtures/expect_error.hpp"
#include "space/expression.hpp"

namespace jitune::internal {
namespace {

PythonScope scope() {
    PythonScope result;
    result.variables = {{"a", {false, false}},
                        {"b", {false, false}},
                        {"c", {false, true}},
                        {"mode", {true, false}}};
    result.constants = {
        {"ProblemSize", {PythonValue::List{{std::int64_t{640}}, {std::int64_t{480}}}}}};
    return result;
}

void expect_translation(const char* python, const char* jitune) {
    EXPECT_EQ(translate_python(python, scope()), jitune) << python;
}

void expect_untranslated(const char* python, const char* reason) {
    expect_error(ErrorKind::usage, reason, [&] { translate_python(python, scope()); });
}

double number(const Scalar& value) {
    const auto* const integer = std::get_if<std::int64_t>(&value);
    return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
}

double number(const PythonValue& value) {
    return value.truth() != nullptr     ? (*value.truth() ? 1 : 0)
           : value.integer() != nullptr ? static_cast<double>(*value.integer())
                                        : *value.real();
}

TEST(PythonExpression, TranslatesWordsAndChains) {
    expect_translation("32 <= a*b <= 1024", "32 <= a * b AND a * b <= 1024");
    expect_translation("a == 0 or b % 32 != 0", "a = 0 OR b % 32 <> 0");
    expect_translation("not (a == 1 and b == 2)", "NOT (a = 1 AND b = 2)");
    expect_translation("a in [1, 2, 4]", "a IN (1, 2, 4)");
    expect_translation("a not in (1, b)", "a NOT IN (1, b)");
    expect_translation("a in range(8, 33, 8)", "a IN (8, 16, 24, 32)");
    expect_translation("a in []", "1 = 0");
    expect_translation("mode == 'row'", "mode = 'row'");
    expect_translation("mode in [\"row\", \"col\"]", "mode IN ('row', 'col')");
    expect_translation("min(a, b, 3) < max(a, 2) + abs(c)", "min(a, b, 3) < max(a, 2) + abs(c)");
    expect_translation("a if b > 1 else 3", "iif(b > 1, a, 3)");
    expect_translation("(a > 1) & (b > 1) | (c > 1)", "a > 1 AND b > 1 OR c > 1");
}

TEST(PythonExpression, TranslatesWhatCWrites) {
    expect_translation("a && !b || a <> 3", "a AND NOT b OR a <> 3");
    expect_translation("!a == 1", "(NOT a) = 1");
    expect_translation("not a == 1", "NOT a = 1");
}

TEST(PythonExpression, KeepsTheOrderOfOperations) {
    expect_translation("(a + b) * 2", "(a + b) * 2");
    expect_translation("a + (b * 2)", "a + b * 2");
    expect_translation("a - (b - 1)", "a - (b - 1)");
    expect_translation("a - b - 1", "a - b - 1");
    expect_translation("(a - 1) * -2", "(a - 1) * (-2)");
    expect_translation("(a or b) and a", "(a OR b) AND a");
    expect_translation("(a < b) + (b < 3) > 1", "(a < b) + (b < 3) > 1");
    expect_translation("-a + 1", "0 - a + 1");
}

TEST(PythonExpression, ComputesConstantParts) {
    expect_translation("a < 12*1024", "a < 12288");
    expect_translation("a < 2**10 + len([1, 2])", "a < 1026");
    expect_translation("ProblemSize[0] // a", "640 / a");
    expect_translation("a <= max(ProblemSize)", "a <= 640");
    expect_translation("a < 0.5 * 3", "a < 1.5");
    expect_translation("True", "1");
}

TEST(PythonExpression, DividesAsPythonDoes) {
    expect_translation("a // b", "a / b");
    expect_translation("a % b", "a % b");
    expect_translation("a / b > 2", "a * 1.0 / b > 2");
    expect_translation("a % 4 // b", "a % 4 / b");
    expect_translation("c % b", "(c % b + b) % b");
    expect_translation("a % ((b * 8) / 2) == 0", "a * 2 % (b * 8) * 1.0 / 2 = 0");
    expect_translation("math.ceil(a / b)", "ceil_div(a, b)");
    expect_translation("int(a / b) + floor(a / 2)", "a / b + a / 2");
    expect_translation("a >> 3", "a / 8");
    expect_translation("a << 3", "a * 8");
}

TEST(PythonExpression, MultipliesPowersOut) {
    expect_translation("a ** 2 < 100", "a * a < 100");
    expect_translation("(a + 1) ** 2", "(a + 1) * (a + 1)");
    expect_translation("a ** 0", "1");
    expect_translation("pow(a, 3)", "a * a * a");
}

/// The evaluator is the other reading of Python.
TEST(PythonExpression, HasPythonsValueForAllVariables) {
    constexpr std::array kFormulas{
        "a // b - c // b",
        "c % b * 10 + c // b",
        "c // -2",
        "c % -b",
        "(c - a) % 3",
        "-c // 2",
        "-(c % 3)",
        "c % ((a + 1) / b)",
        "a // (b / 2)",
        "(c / b) % 2",
        "math.ceil(c / b)",
        "math.floor(c / b)",
        "int(c / b)",
        "c >> 1",
        "c << 2",
        "c ** 3 - a ** 2",
        "-a ** 2",
        "min(a, b, c) + max(c, 1)",
        "abs(c) * 2",
        "a < b < 5",
        "a < b == True",
        "1 < a != b",
        "a in [b, 2] or c not in (0, -1)",
        "not a and b > 1",
        "(a > 1) + (b > 1)",
        "c if a > b else b",
        "a * (b == 3)",
        "a - b - c",
        "a - (b - c)",
        "7 % (b * 2) + 7 // b",
    };
    for (const char* formula : kFormulas) {
        const PythonNode node = parse_python(formula);
        const Expression expression = Expression::parse(translate_python(formula, scope()));
        for (const std::int64_t a : {0, 1, 2, 7}) {
            for (const std::int64_t b : {1, 2, 4}) {
                for (const std::int64_t c : {-7, -1, 0, 1, 6}) {
                    const auto bound = expression.bind({{"a", a}, {"b", b}, {"c", c}});
                    const PythonValue wanted =
                        evaluate_python(node, formula, {{"a", {a}}, {"b", {b}}, {"c", {c}}});
                    EXPECT_NEAR(number(*bound.constant_value()), number(wanted), 1e-12)
                        << formula << " as " << expression.text() << " with " << a << " " << b
                        << " " << c;
                }
            }
        }
    }
}

TEST(PythonExpression, ADivisionByZeroIsNotTrue) {
    const Expression expression = Expression::parse(translate_python("a % c == 0", scope()));
    const auto value = expression.bind({{"a", std::int64_t{4}}, {"c", std::int64_t{0}}});
    EXPECT_FALSE(is_true(*value.constant_value()));
}

TEST(PythonExpression, RefusesWithTheReasonAndThePlace) {
    expect_untranslated("a < unknown",
                        "position 5: \"unknown\" is not known here; known names are "
                        "ProblemSize, a, b, c, mode");
    expect_untranslated("a & b == 1", "position 3: bit operations are not supported");
    expect_untranslated("~a", "bit operations");
    expect_untranslated("a ^ b", "bit operations");
    expect_untranslated("2 ** a", "a power must have an exponent from 0 to 16");
    expect_untranslated("a ** 17", "from 0 to 16");
    expect_untranslated("a << b", "a shift must be by a number");
    expect_untranslated("a % 1.5", "not reals");
    expect_untranslated("(a or b) == 4", "compare them first");
    expect_untranslated("mode and a", "expected a condition here, not a text");
    expect_untranslated("mode + 1", "expected a number here");
    expect_untranslated("mode < 3", "have no order");
    expect_untranslated("mode == 'row-major'", "'row-major' is not a name");
    expect_untranslated("a in b", "expected a list after \"in\"");
    expect_untranslated("[a, b]", "a list is not expected here");
    expect_untranslated("max(a)", "max of 1 arguments");
    expect_untranslated("round(a)", "round of 1 arguments is not supported");
    expect_untranslated("ProblemSize[2] < a", "the index must be an integer below 2");
    expect_untranslated("a < 1 / 0", "division by 0");
    expect_untranslated("lambda: a", "\"lambda\" is not supported");
    expect_untranslated("a <", "expected a number, a name, a text, a list or \"(\", found the end");
    expect_untranslated("a b", "expected an operator or the end, found \"b\"");
    expect_untranslated("a = 1", "'=' has no meaning");
    expect_untranslated("99999999999999999999", "too large");
    expect_untranslated("'a", "second quote");
    expect_untranslated("1.2.3", "not a number");
}

TEST(PythonExpression, LimitsWhatHostileTextsCost) {
    const std::string deep = std::string(10'000, '(') + "a";
    expect_untranslated(deep.c_str(), "nested more than 100 levels deep");
    expect_untranslated(std::string(10'000, '-').c_str(), "nested more than 100 levels deep");
    std::string sum = "a";
    for (int i = 0; i < 1000; ++i) {
        sum += " + a";
    }
    expect_untranslated(sum.c_str(), "nested more than 100 levels deep");
    std::string growing = "c";
    for (int i = 0; i < 30; ++i) {
        growing = "c % (" + growing + ")";
    }
    expect_untranslated(growing.c_str(), "too long");
}

}  // namespace
}  // namespace jitune::internal
