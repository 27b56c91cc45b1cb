// SPDX-License-Identifier: Apache-2.0
#include "formula/template_writer.hpp"

#include <array>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"
#include "formula/plan.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

using enum ElementType;

FormulaInput array(const std::string& name, ElementType type = float32) {
    return {name, FormulaInput::Kind::array, type};
}

std::size_t stages(const std::string& text, const FormulaBinding& binding) {
    return plan_formula(text, parse_formula(text), binding).stages.size();
}

TEST(FormulaInputs, AreInTheOrderOfTheirFirstUse) {
    EXPECT_EQ(formula_inputs(
                  parse_formula("a = sum(y * x); b = a / w[0]; y[i] = a * z; c = sum(y, i < n)")),
              (std::vector<std::string>{"y", "x", "w", "z"}));
}

TEST(FormulaPlan, AStageBeginsWhereElementsNeedAResult) {
    const FormulaBinding xy{{array("x"), array("y")}, {{"x", float32}, {"r", float32}}};
    EXPECT_EQ(stages("r = sum(x * y); x[i] = x + y; s = sum(x)", xy), 1U);
    EXPECT_EQ(stages("r = sum(x); x[i] = x / r + y", xy), 2U);
    EXPECT_EQ(stages("r = sum(y * (x - mean(x))); x[i] = 0 * y", xy), 2U);
    EXPECT_EQ(stages("r = sum(x) / max(y); x[i] = 1.0", xy), 1U);
    EXPECT_EQ(stages("a = sum(x); b = sum(y * a); r = sum(x * b); x[i] = y * r", xy), 4U);
    expect_error(ErrorKind::usage, "more than 4 passes", [&] {
        stages("a = sum(x); b = sum(y * a); c = sum(x * b); r = sum(y * c); x[i] = x * r", xy);
    });
}

TEST(FormulaPlan, MinOfTwoIsAFunctionOfElementsAndOfResults) {
    const FormulaBinding binding{{array("x"), array("y")}, {{"r", float32}}};
    const auto first = [&](const std::string& text) {
        return plan_formula(text, parse_formula(text), binding).stages.front().steps;
    };
    EXPECT_EQ(first("r = sum(min(x, y))").size(), 1U);
    EXPECT_TRUE(first("r = min(x, y > 0)").front().where.has_value());
    EXPECT_EQ(first("r = min(min(x), min(y))").size(), 3U);
}

TEST(FormulaPlan, OneValueIsNoneOfThoseThatAllLinesRead) {
    const FormulaBinding binding{
        {{"w", FormulaInput::Kind::places}, {"k", FormulaInput::Kind::lines}},
        {{"r", float32}},
        {},
        LineShape::rows};
    EXPECT_EQ(stages("r = 2 * k + sum(w)", binding), 1U);
    expect_error(ErrorKind::usage, "\"w\" has a value for each element",
                 [&] { stages("r = 2 * w + sum(k)", binding); });
}

TEST(FormulaTypes, ResultsFollowTheRulesOfReductions) {
    const FormulaBinding binding{{array("f"), array("wide", float64), array("h", float16),
                                  array("c", int8), array("u", uint32)},
                                 {}};
    const auto type = [&](const std::string& expression) {
        FormulaBinding used;
        for (const FormulaInput& one : binding.inputs) {
            if (expression.find("(" + one.name) != std::string::npos ||
                expression.find(" " + one.name) != std::string::npos) {
                used.inputs.push_back(one);
            }
        }
        return formula_gifts("r = " + expression, used).front().type;
    };
    EXPECT_EQ(type("sum(f)"), float32);
    EXPECT_EQ(type("sum(f * 0.5)"), float32);
    EXPECT_EQ(type("sum(f * 2)"), float32);
    EXPECT_EQ(type("sum(f * wide)"), float64);
    EXPECT_EQ(type("sum(h)"), float32);
    EXPECT_EQ(type("sum(c)"), int32);
    EXPECT_EQ(type("sum(c * 0.5)"), float64);
    EXPECT_EQ(type("sum(u)"), uint32);
    EXPECT_EQ(type("mean(c)"), float64);
    EXPECT_EQ(type("sum(sqrt(c))"), float64);
    EXPECT_EQ(type("sum(double(f))"), float64);
    EXPECT_EQ(type("arg_max(f)"), int64);
    EXPECT_EQ(type("any(f > 0)"), uint8);
    EXPECT_EQ(type("count_nonzero(f)"), int64);
    EXPECT_EQ(type("sum(f) / 2"), float32);
    EXPECT_EQ(type("sum(i * c)"), int64);
}

TEST(FormulaTypes, ArraysHaveTheTypesOfTheirValues) {
    const auto gifts = formula_gifts("y[i] = x * 2; z[i] = k + 1; k[i] = 0 * k; s = sum(y)",
                                     {{array("x"), array("k", int8)}, {}});
    ASSERT_EQ(gifts.size(), 4U);
    EXPECT_TRUE(gifts[0].is_array);
    EXPECT_EQ(gifts[0].type, float32);
    EXPECT_EQ(gifts[1].type, int32);
    EXPECT_EQ(gifts[2].type, int8);
    EXPECT_FALSE(gifts[3].is_array);
    EXPECT_EQ(gifts[3].name, "s");
}

TEST(FormulaTypes, ValuesOfWrittenArraysHaveTheirTypes) {
    std::vector<ElementType> types;
    for (const FormulaGift& one :
         formula_gifts("y[i] = 2 * k; s = sum(y); z[i] = y + x; t = max(z)",
                       {{array("k", int8), array("x", float16)}, {}})) {
        types.push_back(one.type);
    }
    EXPECT_EQ(types, (std::vector{int32, int32, float32, float32}));
}

TEST(FormulaTemplate, InputsHaveNoNamesWithAMeaning) {
    for (const auto& [name, words] :
         {std::pair("n", "no input can be called \"n\", which is the number of elements"),
          {"i", "no input can be called \"i\", which is the place of an element"},
          {"exp", "no input can be called \"exp\", which is a word in every formula"}}) {
        const FormulaBinding binding{{array("x"), array(name)}, {{"r", float32}}};
        expect_error(ErrorKind::usage, words,
                     [&] { formula_template("r = sum(x * n)", binding, PlatformKind::host); });
    }
}

TEST(FormulaTemplate, NamesWhatHasNoMeaning) {
    const FormulaBinding binding{{array("x"), array("k", int32)}, {{"r", float32}}};
    const auto refuses = [&](const std::string& text, const std::string& words) {
        SCOPED_TRACE(text);
        expect_error(ErrorKind::usage, words,
                     [&] { formula_template(text, binding, PlatformKind::host); });
    };
    refuses("r = 1 / n * sum(x * k)", "write it with a point, as in 1.0 / n");
    refuses("r = sum(1 / 2 * x + k)", "write it with a point");
    refuses("r = max(x * k, 0)", "the second argument of max over elements is a condition");
    refuses("r = min(k, x)", "the second argument of min over elements is a condition");
    refuses("r = sum(x, ~(k > 2))", "write not (…)");
    refuses("r = sum(x * k + system(x))",
            "character 17: \"system\" is no function that formulas know");
    refuses("r = argmax(x * k)",
            "\"argmax\" is neither a function nor an operation that formulas know: write arg_max");
    refuses("r = sum(clip(x, 0, k))",
            "\"clip\" is no function that formulas know: write min(max(x, low), high)");
    refuses("r = sum(x^2 * k)", "^ takes integers: the power of x is x ** 2");
    refuses("r = sum(x * k); z[i] = x",
            "the formula writes \"z\", but the call gives no place for it: add the array to its "
            "outputs, as in {\"z\", pointer}");
    refuses("r = sum(x % k)", "% takes integers: write fmod(a, b) for floats");
    refuses("r = sum(~x + k)", "~ takes an integer");
    refuses("r = sum(pow(x) + k)", "pow takes 2 arguments, not 1");
    refuses("r = sum(x * k, x, k)", "sum(expression) or sum(expression, where)");
    refuses("r = sum(x * k + 1e999)", "\"1e999\" is no number");
    refuses("r = sum(x * k + 09x)", "\"09x\" is no number");
    refuses("r = sum(x * k + sqrt)", "\"sqrt\" has a meaning of its own, and no value here");
    refuses("r = sum(x * k); r = sum(x)", "\"r\" is given twice");
    std::string many = "r = sum(x * k)";
    for (int i = 0; i < 64; ++i) {
        many += fmt::format("; s{} = sum(x)", i);
    }
    refuses(many, "keep 260 bytes; they may keep 256");
}

TEST(FormulaTemplate, HoldsTheOperationsOfOnesOwnThatItUses) {
    const std::array<FormulaOperation, 2> own{
        FormulaOperation{"loose", FormulaOperation::Kind::own, "Loose", float32, 0.25, "[loose]"},
        FormulaOperation{"exact", FormulaOperation::Kind::own, "Exact", float64, 0, "[exact]"}};
    const auto text = [&](const std::string& formula) {
        const FormulaBinding binding{{array("x")}, {{"r", float32}}, own};
        return formula_template(formula, binding, PlatformKind::cuda);
    };
    const auto holds = [](const std::string& all, const char* part) {
        return all.find(part) != std::string::npos;
    };
    const std::string both = text("r = loose(x) + exact(x)");
    EXPECT_TRUE(holds(both, "[loose]") && holds(both, "[exact]"));
    EXPECT_TRUE(holds(both, "Loose<float, float, float>"));
    EXPECT_TRUE(holds(both, "Exact<float, double, double>"));
    EXPECT_TRUE(holds(both, "count = \"1\", tolerance = 0.25 }"));
    EXPECT_TRUE(holds(both, "count = \"4 * blocks\""));  // words for two states of up to 16 bytes
    const std::string exact = text("r = exact(x) + sum(x)");
    EXPECT_FALSE(holds(exact, "[loose]"));
    EXPECT_FALSE(holds(exact, "tolerance"));
    EXPECT_EQ(formula_gifts("exact(x)", {{array("x")}, {}, own}).front().type, float64);
}

TEST(FormulaTemplate, TheSummaryIsOneLine) {
    const FormulaBinding binding{{array("x")}, {{"r", float32}}};
    const std::string text = formula_template("r =\n\tsum(x)", binding, PlatformKind::host);
    EXPECT_NE(text.find("summary = \"r =  sum(x)\""), std::string::npos);
}

TEST(FormulaTemplate, NamesTheFormulaAndItsCallAmongItsTypes) {
    const auto holds = [](const FormulaBinding& binding, const std::string& text,
                          const std::string& parameter, const std::string& name) {
        const std::string front = formula_template(text, binding, PlatformKind::host);
        EXPECT_NE(front.find("[types." + parameter + "]\n\"" + name + "\" = \"void\"\n"),
                  std::string::npos)
            << front.substr(0, front.find("*/"));
    };
    using In = FormulaInput::Kind;
    FormulaBinding binding{{array("x"),
                            {"w", In::places},
                            {"k", In::lines, int32},
                            {"a", In::value, float64},
                            {"b", In::in_memory}},
                           {{"m", float64}, {"y", float16}}};
    const std::string text = " m  = mean(x * w);\n\ty[i] = a * x + b\r\n - k ";
    for (const auto& [shape, word, w, k] :
         {std::tuple(LineShape::rows, "rows", "per_column", "per_row"),
          {LineShape::columns, "columns", "per_row", "per_column"}}) {
        binding.shape = shape;
        holds(binding, text, "formula", "m = mean(x * w); y[i] = a * x + b - k");
        holds(binding, text, "inputs",
              fmt::format("x:float32,w:{}(float32),k:{}(int32),a:value(float64),"
                          "b:scalar_at(float32)",
                          w, k));
        holds(binding, text, "outputs", "m:float64,y:float16");
        holds(binding, text, "shape", word);
    }
    const FormulaBinding segments{
        {array("x"), {"k", In::lines}}, {{"s", float32}}, {}, LineShape::segments, uint32};
    holds(segments, "s = k * sum(x)", "inputs", "x:float32,k:per_segment(float32)");
    holds(segments, "s = k * sum(x)", "shape", "segments(uint32)");
    std::string sums = "s = sum(x)";
    for (int i = 0; i < 150; ++i) {
        sums += " + 1.125";
    }
    holds({{array("x")}, {{"s", float32}}}, sums, "formula", sums.substr(0, 997) + "...");
    const std::string iota = formula_template("y[i] = i", {{}, {{"y"}}}, PlatformKind::host);
    EXPECT_EQ(iota.find("[types.inputs]"), std::string::npos);
}

}  // namespace
}  // namespace jitune::internal
