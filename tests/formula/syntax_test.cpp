// SPDX-License-Identifier: Apache-2.0
#include "formula/syntax.hpp"

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

/// With a bracket around each operation.
std::string bracketed(const FormulaNode& node) {
    using Kind = FormulaNode::Kind;
    if (node.parts.empty() && node.kind != Kind::call) {
        return node.kind == Kind::first ? node.text + "[0]" : node.text;
    }
    std::string text;
    for (const FormulaNode& part : node.parts) {
        text += (text.empty() ? "" : " ") + bracketed(part);
    }
    return "(" + node.text + " " + text + ")";
}

std::string expression(const std::string& text) {
    return bracketed(parse_formula(text).front().value);
}

TEST(FormulaSyntax, OperatorsBindAsInCAndPython) {
    EXPECT_EQ(expression("a + b * c - d"), "(- (+ a (* b c)) d)");
    EXPECT_EQ(expression("-x**2"), "(- (** x 2))");
    EXPECT_EQ(expression("2 ** -x ** y"), "(** 2 (- (** x y)))");
    EXPECT_EQ(expression("a < b && !c || d == e"), "(|| (&& (< a b) (! c)) (== d e))");
    EXPECT_EQ(expression("not a == b and c or d"), "(|| (&& (! (== a b)) c) d)");
    EXPECT_EQ(expression("a & b == c"), "(& a (== b c))");
    EXPECT_EQ(expression("c ? x : d ? y : z"), "(? c x (? d y z))");
    EXPECT_EQ(expression("x[i] * w[0]"), "(* x w[0])");
    EXPECT_EQ(expression("sum(f(a, b), m != 0)"), "(sum (f a b) (!= m 0))");
}

TEST(FormulaSyntax, StatementsHaveNames) {
    const auto statements = parse_formula("rr = sum(r * r);\n x[i] = x + a * p; ");
    ASSERT_EQ(statements.size(), 2U);
    EXPECT_EQ(statements[0].name, "rr");
    EXPECT_FALSE(statements[0].is_array);
    EXPECT_EQ(statements[1].name, "x");
    EXPECT_TRUE(statements[1].is_array);
    EXPECT_EQ(parse_formula("sum(x)").front().name, "result");
}

TEST(FormulaSyntax, SaysWhatIsWrongAndWhere) {
    const auto refuses = [](const std::string& text, const std::string& words) {
        SCOPED_TRACE(text);
        expect_error(ErrorKind::usage, words, [&] { parse_formula(text); });
    };
    refuses("", "the formula is empty");
    refuses(" ; ; ", "the formula is empty");
    refuses("sum(x", "character 6: the call of sum has no end: ) is missing here");
    refuses("sum(x) sum(y)", "character 8: an operator or ; is missing here");
    refuses("a = sum(x); sum(y)", "character 13: one of several statements needs a name");
    refuses("a + 1 = sum(x)", "only a name, or a name with [i], may stand before =");
    refuses("(a) = sum(x)", "only a name, or a name with [i], may stand before =");
    refuses("sum = sum(x)", "\"sum\" has a meaning of its own");
    refuses("a < b < c", "a comparison of a comparison");
    refuses("a == b < c", "character 3: a comparison of a comparison");
    refuses("a < b == c", "character 7: a comparison of a comparison");
    refuses("not a == b == c", "a comparison of a comparison");
    refuses("x[j]", "an array is read at [i] or at [0] alone");
    refuses("x[1]", "give what lies at [1] as another input, a scalar");
    refuses("x[i - 1]", "give the neighbours as another input, an array that begins there");
    refuses("x[i, j]", "rows and columns are the call's, as in each_row(rows, columns)");
    refuses("x[i][j]", "rows and columns are the call's, as in each_row(rows, columns)");
    refuses("sum(x // 2)", "write floor(a / b), of integers a / b");
    refuses("sum(x, m = 0)", "character 10: arguments have no names, and a comparison is ==");
    refuses("sum(x * )", "\")\" stands where a value should");
    refuses("x +", "the formula ends where a value should stand");
    refuses("sum(x, axis=1)",
            "character 12: arguments have no names: axis= and keepdims= belong to the call");
    refuses("var(x, ddof=1)", "var and std are those of ddof=0; of 1, var is var(x) * n / (n - 1)");
    refuses("sum(a if c else b)", "character 7: write where(c, a, b) in place of a if c else b");
    refuses("x += y", "character 4: formulas have no += and the like: write x[i] = x + y");
    refuses("= y", "\"=\" stands where a value should");
    refuses("sum(x @ y)", "character 7: write sum(x * y) in place of x @ y");
    refuses("sum(x[1:])", "give a slice as another input");
    refuses("sum(x[0:2])", "give a slice as another input");
    refuses("where(x > 0, True, False)", "character 14: write true");
    refuses("sum(x, None)", "character 8: formulas have no None");
    refuses("c ? x", "a choice is condition ? a : b: : is missing here");
}

TEST(FormulaSyntax, ComparisonsInParenthesesMayBeCompared) {
    EXPECT_EQ(expression("(a < b) == (c < d)"), "(== (< a b) (< c d))");
    EXPECT_EQ(expression("a == (b < c) && d < e"), "(&& (== a (< b c)) (< d e))");
    EXPECT_EQ(expression("a == f(b < c)"), "(== a (f (< b c)))");
}

TEST(FormulaSyntax, NamesOfModulesAndMembersGiveWay) {
    const auto refuses = [](const std::string& text, const std::string& words) {
        SCOPED_TRACE(text);
        expect_error(ErrorKind::usage, "character 5: " + words + "\n",
                     [&] { parse_formula("1 + " + text); });
    };
    refuses("np.sum(x)", "write sum in place of np.sum");
    refuses("np.linalg.norm(x)", "write norm in place of np.linalg.norm");
    refuses("torch.argmax(x)", "write arg_max in place of torch.argmax");
    refuses("std::fabs(x)", "write fabs in place of std::fabs");
    refuses("x.sum()", "write sum(x) in place of x.sum");
    refuses("x.amax()", "write max(x) in place of x.amax");
    refuses("thrust::reduce(x)",
            "write sum(x), max(x) or another operation in place of thrust::reduce");
    refuses("np.pi", "write 3.141592653589793 in place of np.pi");
    refuses("np.inf", "give it as an input, a scalar");
    refuses("np.median(x)", "formulas have no sort, scan or quantile");
    refuses("x.size", "write n in place of x.size");
    refuses("x.shape[0]", "write n in place of x.shape");
    refuses("x.T", "rows and columns are the call's, as in each_column(rows, columns)");
    refuses("x.astype(float64)", "write float64(x) in place of x.astype");
    refuses("a.exp()", "write exp(a) in place of a.exp");
    refuses("x.pow(2)", "write pow in place of x.pow");
    refuses("x.clip(0, 1)", "write min(max(x, low), high) in place of x.clip");
    refuses("a.mean(axis=1)",
            "write mean(a) in place of a.mean; axis= and keepdims= belong to the call; in C++ it "
            "takes each_row(rows, columns)");
    refuses("np.sum(x, dtype=float)",
            "write sum in place of np.sum; a type stands in the expression, as in sum(float64(x))");
    refuses("x.sum(where=1",
            "write sum(x) in place of x.sum; the condition stands second without a name, as in "
            "sum(x, x > 0)");
    for (const char* const unknown : {"x.real", "np.foo(x)", "std::foo"}) {
        expect_error(ErrorKind::usage, "; operations are sum, product",
                     [&] { parse_formula(unknown); });
    }
    expect_error(ErrorKind::usage, "character 10: write sum(expression) in place of .sum\n",
                 [] { parse_formula("s = (x*y).sum()"); });
    EXPECT_EQ(expression("c ? a:b"), "(? c a b)");
    EXPECT_EQ(expression(".5 * x"), "(* .5 x)");
}

TEST(FormulaSyntax, RefusesWhatCouldLeaveTheExpression) {
    for (const std::string text :
         {"sum(x); }", "sum(x) { }", "#include <x>", "sum(x) // y", "sum(x) /* y */", "\"x\"",
          "'x'", "x \\ y", "x ? ?> y", "[[noreturn]] x", "x @ y", "x $ y", "a::b", "a->b", "a.b",
          "x++", "x += 1", "asm(x", "`x`"}) {
        SCOPED_TRACE(text);
        expect_error(ErrorKind::usage, "formula", [&] { parse_formula(text); });
    }
    expect_error(ErrorKind::usage, "the byte 0x00 has no place",
                 [] { parse_formula(std::string("sum(x)\0", 7)); });
    expect_error(ErrorKind::usage, "the byte 0xc3 has no place",
                 [] { parse_formula("sum(\xc3\xa4)"); });
    expect_error(ErrorKind::usage, "it may have 16384",
                 [] { parse_formula(std::string(1 << 20, 'x')); });
    expect_error(ErrorKind::usage, "more than 100 parts",
                 [] { parse_formula(std::string(5000, '(') + "x" + std::string(5000, ')')); });
    expect_error(ErrorKind::usage, "more than 100 parts",
                 [] { parse_formula(std::string(5000, '-') + "x"); });
    std::string chain = "x";
    for (int i = 0; i < 5000; ++i) {
        chain += i % 2 == 0 ? "+x" : "*x";
    }
    expect_error(ErrorKind::usage, "more than 200 operations", [&] { parse_formula(chain); });
    EXPECT_NO_THROW(parse_formula(chain.substr(0, 2 * 150 + 1)));
    expect_error(ErrorKind::usage, "at most 48 characters",
                 [] { parse_formula(std::string(49, 'x')); });
}

}  // namespace
}  // namespace jitune::internal
