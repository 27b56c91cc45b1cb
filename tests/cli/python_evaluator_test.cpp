// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/python_evaluator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

/// As Python prints it.
std::string printed(const PythonValue& value) {
    if (value.list() != nullptr) {
        std::vector<std::string> texts;
        for (const PythonValue& one : *value.list()) {
            texts.push_back(printed(one));
        }
        return fmt::format("[{}]", fmt::join(texts, ", "));
    }
    return value.truth() != nullptr     ? (*value.truth() ? "True" : "False")
           : value.integer() != nullptr ? std::to_string(*value.integer())
           : value.real() != nullptr    ? fmt::format("{:.17g}", *value.real())
                                        : *value.text();
}

PythonValue evaluated(const std::string& python, const PythonNames& names = {}) {
    return evaluate_python(parse_python(python), python, names);
}

void expect_value(const char* python, const char* wanted) {
    EXPECT_EQ(printed(evaluated(python)), wanted) << python;
}

void expect_no_value(const char* python, const char* reason) {
    expect_error(ErrorKind::usage, reason, [&] { evaluated(python); });
}

TEST(PythonEvaluator, ReadsLists) {
    expect_value("[1, 2, 4]", "[1, 2, 4]");
    expect_value("1, 2", "[1, 2]");
    expect_value("(3,)", "[3]");
    expect_value("[]", "[]");
    expect_value("[1, 2, 4, 8, 16] + list(range(32, 96+1, 32))", "[1, 2, 4, 8, 16, 32, 64, 96]");
    expect_value("[2**i for i in range(0, 6)]", "[1, 2, 4, 8, 16, 32]");
    expect_value("[1] + [2 * i for i in range(1, 4)]", "[1, 2, 4, 6]");
    expect_value("[i for i in range(10) if i % 3 == 0]", "[0, 3, 6, 9]");
    expect_value("list(i * i for i in range(3))", "[0, 1, 4]");
    expect_value("range(5, 0, -2)", "[5, 3, 1]");
    expect_value("sorted([3, 1] + [2])", "[1, 2, 3]");
    expect_value("['a', \"b\"]", "[a, b]");
    expect_value("[True, False]", "[True, False]");
    expect_value("[1, 2, 3][-1]", "3");
}

TEST(PythonEvaluator, ComputesAsPythonDoes) {
    expect_value("7 // -2, -7 // 2, 7 % -2, -7 % 2", "[-4, -4, -1, 1]");
    expect_value("7 / 2, 8 / 2", "[3.5, 4]");
    expect_value("-7.5 // 2, -7.5 % 2, 7.5 % -2", "[-4, 0.5, -0.5]");
    expect_value("2 ** 10, 2 ** -1, -2 ** 2", "[1024, 0.5, -4]");
    expect_value("1 << 4, 256 >> 3, -1 >> 1", "[16, 32, -1]");
    expect_value("6 & 3, 6 | 3, 6 ^ 3", "[2, 7, 5]");
    expect_value("True + 1", "2");
    expect_value("0 or 3, 0 and 3, not 3", "[3, 0, False]");
    expect_value("1 < 2 < 3, 1 == 1.0, 'a' == 1, 2 in [1, 2]", "[True, True, False, True]");
    expect_value("5 if 1 > 2 else 6", "6");
    expect_value("min(3, 1), max([1, 5]), abs(-2), len([1, 2]), sum([1, 2])", "[1, 5, 2, 2, 3]");
    expect_value("int(3.7), int(-3.7), math.ceil(3.2), np.floor(-3.2)", "[3, -3, 4, -4]");
    expect_value("1e3, .5, 0x10, 1.", "[1000, 0.5, 16, 1]");
}

TEST(PythonEvaluator, RefusesWithTheReason) {
    expect_no_value("n + 1", "position 1: \"n\" is not known here");
    expect_no_value("os.system('x')", "unknown function os.system; the functions are range, list");
    expect_no_value("range()", "range does not take 0 arguments");
    expect_no_value("range(1, 2, 0)", "the step of a range must not be 0");
    expect_no_value("9223372036854775807 + 1", "more than 63 bits");
    expect_no_value("2 ** 63", "more than 63 bits");
    expect_no_value("1 << 63", "0 to 62 bits");
    expect_no_value("1 // 0", "division by 0");
    expect_no_value("1.5 % 0", "division by 0");
    expect_no_value("max([])", "an empty list");
    expect_no_value("max(1, 'a')", "no order");
    expect_no_value("[1, 2][2]", "below 2");
    expect_no_value("1[0]", "expected a list");
    expect_no_value("len(3)", "length");
    expect_no_value("'a' + 1", "expected a number");
    expect_no_value("int(1e300)", "more than 63 bits");
    expect_no_value("[i for i in 3]", "expected a list");
    expect_no_value("[i + j for i in [1] for j in [2]]", "one \"for\" and one \"if\"");
}

TEST(PythonEvaluator, LimitsWhatHostileTextsCost) {
    expect_no_value("range(10**9)", "a range of more than 100000 numbers");
    expect_no_value("[range(99999) for i in range(99999)]", "steps");
    expect_no_value("[[x for i in range(9999)] for x in [list(range(9999))]]", "steps");
    expect_no_value("list(range(99999)) + list(range(99999))", "a list of more than");
}

TEST(PythonEvaluator, NamesAreThoseOutsideOfComprehensions) {
    EXPECT_EQ(names_of(parse_python("[a * i for i in range(b)] + [max(c)]")),
              (std::set<std::string>{"a", "b", "c"}));
    EXPECT_EQ(printed(evaluated("[a * i for i in range(b)]",
                                {{"a", {std::int64_t{3}}}, {"b", {std::int64_t{3}}}})),
              "[0, 3, 6]");
}

}  // namespace
}  // namespace jitune::internal
