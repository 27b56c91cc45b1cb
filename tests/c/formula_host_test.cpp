// SPDX-License-Identifier: Apache-2.0
// Formulas of the C interface on the CPU.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "jitune/jitune.h"

namespace jitune::internal {
namespace {

class CFormulaHost : public testing::Test {
protected:
    CFormulaHost() {
        jitune_options* options = nullptr;
        EXPECT_EQ(jitune_options_create(&options), JITUNE_OK);
        for (const auto& [name, value] :
             {std::pair{"database", "none"}, {"on_miss", "default"}, {"worker", "none"}}) {
            EXPECT_EQ(jitune_options_set(options, name, value), JITUNE_OK);
        }
        EXPECT_EQ(jitune_session_create(options, &session_), JITUNE_OK) << jitune_last_message();
        jitune_options_destroy(options);
    }
    ~CFormulaHost() override {
        jitune_formula_destroy(formula_);
        jitune_session_destroy(session_);
    }

    void read(const char* text) {
        jitune_formula_destroy(formula_);
        formula_ = nullptr;
        expect_ok(jitune_formula_create(session_, text, nullptr, 0, &formula_));
    }
    static void expect_ok(jitune_status status) {
        EXPECT_EQ(status, JITUNE_OK) << jitune_last_message();
    }
    static void expect_usage(const char* reason, jitune_status status) {
        EXPECT_EQ(status, JITUNE_ERROR_USAGE);
        EXPECT_NE(std::string(jitune_last_message()).find(reason), std::string::npos)
            << jitune_last_message() << "\ndoes not say: " << reason;
    }

    jitune_session* session_ = nullptr;
    jitune_formula* formula_ = nullptr;
    std::vector<float> x_{1, 2, 3, 4};
};

TEST_F(CFormulaHost, ComputesSeveralResultsAndArrays) {
    read("rr = sum(r * r); worst = max(abs(r)); x[i] = x + a * r");
    const std::vector<double> r{1, -3, 2, 0};
    const double a = 2;
    jitune_formula_argument inputs[] = {jitune_named("r", jitune_array(JITUNE_FLOAT64, r.data())),
                                        jitune_named("x", jitune_array(JITUNE_FLOAT32, x_.data())),
                                        jitune_named("a", jitune_array(JITUNE_FLOAT64, &a))};
    inputs[2].extent = JITUNE_SCALAR;
    double rr = 0;
    float worst = 0;
    const std::array outputs{jitune_named("worst", jitune_array(JITUNE_FLOAT32, &worst)),
                             jitune_named("rr", jitune_array(JITUNE_FLOAT64, &rr)),
                             jitune_named("x", jitune_array(JITUNE_FLOAT32, x_.data()))};
    expect_ok(jitune_formula_run(formula_, inputs, 3, jitune_flat(4), outputs.data(), 3));
    EXPECT_EQ(rr, 14);
    EXPECT_EQ(worst, 3);
    EXPECT_EQ(x_, (std::vector<float>{3, -4, 7, 4}));
    inputs[2] = jitune_named("a", jitune_integer(JITUNE_INT32, -2));
    expect_ok(jitune_formula_run(formula_, inputs, 3, jitune_flat(4), outputs.data(), 3));
    EXPECT_EQ(x_, (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(CFormulaHost, SaysWhatItReadsAndGives) {
    read("s = sum(x * k); y[i] = x - s; x[i] = y; positive = any(x > 0)");
    std::array<const char*, 2> names{};
    size_t count = 0;
    expect_ok(jitune_formula_inputs(formula_, names.data(), 1, &count));
    EXPECT_EQ(count, 2U);
    EXPECT_STREQ(names[0], "x");
    EXPECT_EQ(names[1], nullptr);
    expect_ok(jitune_formula_inputs(formula_, names.data(), 2, &count));
    EXPECT_STREQ(names[1], "k");

    const std::array inputs{jitune_named("x", jitune_array(JITUNE_FLOAT16, nullptr)),
                            jitune_named("k", jitune_double(0))};
    std::array<jitune_formula_result, 4> results{};
    expect_ok(jitune_formula_results(formula_, inputs.data(), 2, jitune_flat(0), results.data(),
                                     results.size(), &count));
    ASSERT_EQ(count, 4U);
    const auto expect_result = [&](size_t i, const char* name, int is_array, jitune_type type) {
        EXPECT_STREQ(results.at(i).name, name);
        EXPECT_EQ(results.at(i).is_array, is_array) << name;
        EXPECT_EQ(results.at(i).type, type) << name;
    };
    expect_result(0, "s", 0, JITUNE_FLOAT64);
    expect_result(1, "y", 1, JITUNE_FLOAT64);
    expect_result(2, "x", 1, JITUNE_FLOAT16);
    expect_result(3, "positive", 0, JITUNE_UINT8);
    results = {};
    expect_ok(jitune_formula_results(formula_, inputs.data(), 2, jitune_flat(0), results.data(), 1,
                                     &count));
    EXPECT_EQ(count, 4U);
    EXPECT_EQ(results[1].name, nullptr);
}

TEST_F(CFormulaHost, CallsOperationsOfOnesOwn) {
    const jitune_custom_operation longest{"longest",       nullptr, "float",        "0", "x",
                                          "a < b ? b : a", nullptr, JITUNE_FLOAT64, 0};
    expect_ok(jitune_formula_create(session_, "s = longest(x * k)", &longest, 1, &formula_));
    const std::array inputs{jitune_named("x", jitune_array(JITUNE_FLOAT32, x_.data())),
                            jitune_named("k", jitune_integer(JITUNE_INT32, 2))};
    jitune_formula_result result{};
    size_t count = 0;
    expect_ok(
        jitune_formula_results(formula_, inputs.data(), 2, jitune_flat(0), &result, 1, &count));
    EXPECT_EQ(result.type, JITUNE_FLOAT64);
    double most = 0;
    const jitune_formula_argument output = jitune_named("s", jitune_array(JITUNE_FLOAT64, &most));
    expect_ok(jitune_formula_run(formula_, inputs.data(), 2, jitune_flat(4), &output, 1));
    EXPECT_EQ(most, 8);
    expect_usage("operations is null",
                 jitune_formula_create(session_, "sum(x)", nullptr, 1, &formula_));
}

TEST_F(CFormulaHost, APreparedFormulaTakesInputsThenOutputs) {
    read("s = sum(k * x)");
    const std::array inputs{jitune_named("k", jitune_integer(JITUNE_INT32, 0)),
                            jitune_named("x", jitune_array(JITUNE_FLOAT32, nullptr))};
    const jitune_formula_argument output = jitune_named("s", jitune_array(JITUNE_FLOAT64, nullptr));
    jitune_prepared* prepared = nullptr;
    const auto prepare = [&](const jitune_formula* formula, const char* device) {
        return jitune_formula_prepare(formula, inputs.data(), 2, jitune_flat(4), &output, 1, device,
                                      &prepared);
    };
    expect_ok(prepare(formula_, "host"));
    double sum = 0;
    const std::array arguments{jitune_integer(JITUNE_INT32, 3),
                               jitune_array(JITUNE_FLOAT32, x_.data()),
                               jitune_array(JITUNE_FLOAT64, &sum)};
    expect_ok(jitune_launch_kernel(prepared, arguments.data(), arguments.size(), nullptr));
    EXPECT_EQ(sum, 30);
    jitune_dispatch_info info{};
    expect_ok(jitune_prepared_info(prepared, &info));
    EXPECT_STREQ(info.device, "host");
    EXPECT_STREQ(info.types,
                 "element=float32 formula=\"s = sum(k * x)\" inputs=k:value(int32),x:float32 "
                 "outputs=s:float64 shape=flat");
    EXPECT_TRUE(std::string_view(info.kernel).starts_with("map_reduce_")) << info.kernel;
    expect_usage("or a formula: call jitune_launch_kernel",
                 jitune_launch(prepared, x_.data(), nullptr, &sum, nullptr));
    jitune_prepared_destroy(prepared);
    prepared = nullptr;
    expect_usage("formula is null", prepare(nullptr, "host"));
    expect_usage("toaster", prepare(formula_, "toaster"));
    EXPECT_EQ(prepared, nullptr);
}

TEST_F(CFormulaHost, ReducesEachRowOrColumn) {
    read("m = max(x * k); s = sum(w); y[i] = x - m + w");
    const std::array<std::int8_t, 6> x{1, 2, 3, 6, 5, 4};  // 2 rows, 3 columns
    const std::array<float, 3> of_columns{10, 20, 30};
    const std::array<double, 2> of_rows{1, -1};
    std::array<double, 3> most{}, sums{};
    std::array<double, 6> y{};
    jitune_formula_argument inputs[] = {
        jitune_named("x", jitune_array(JITUNE_INT8, x.data())),
        jitune_named("k", jitune_array(JITUNE_FLOAT64, of_rows.data())),
        jitune_named("w", jitune_array(JITUNE_FLOAT32, of_columns.data()))};
    inputs[1].extent = JITUNE_PER_ROW;
    inputs[2].extent = JITUNE_PER_COLUMN;
    const std::array outputs{jitune_named("m", jitune_array(JITUNE_FLOAT64, most.data())),
                             jitune_named("s", jitune_array(JITUNE_FLOAT64, sums.data())),
                             jitune_named("y", jitune_array(JITUNE_FLOAT64, y.data()))};
    expect_ok(jitune_formula_run(formula_, inputs, 3, jitune_each_row(2, 3), outputs.data(), 3));
    EXPECT_EQ(most, (std::array<double, 3>{3, -4, 0}));
    EXPECT_EQ(sums, (std::array<double, 3>{60, 60, 0}));
    EXPECT_EQ(y, (std::array<double, 6>{8, 19, 30, 20, 29, 38}));
    expect_ok(jitune_formula_run(formula_, inputs, 3, jitune_each_column(2, 3), outputs.data(), 3));
    EXPECT_EQ(most, (std::array<double, 3>{1, 2, 3}));
    EXPECT_EQ(sums, (std::array<double, 3>{20, 40, 60}));
    EXPECT_EQ(y, (std::array<double, 6>{10, 20, 30, 15, 23, 31}));

    size_t count = 0;
    expect_usage("\"k\" has one value per row, but the call has no such",
                 jitune_formula_results(formula_, inputs, 3, jitune_flat(6), nullptr, 0, &count));
    expect_ok(
        jitune_formula_results(formula_, inputs, 3, jitune_each_row(0, 0), nullptr, 0, &count));
    EXPECT_EQ(count, 3U);
    jitune_formula_shape odd = jitune_each_row(2, 3);
    odd.kind = static_cast<jitune_reduce_shape>(4);
    expect_usage("4 is no jitune_reduce_shape",
                 jitune_formula_run(formula_, inputs, 3, odd, outputs.data(), 3));
    inputs[1].extent = static_cast<jitune_formula_extent>(5);
    expect_usage("5 is no jitune_formula_extent",
                 jitune_formula_run(formula_, inputs, 3, jitune_each_row(2, 3), outputs.data(), 3));
}

TEST_F(CFormulaHost, ReducesEachSegment) {
    read("s = sum(x * k)");
    const std::array<std::int32_t, 4> offsets{0, 1, 1, 4};
    const std::array<float, 3> scale{1, 2, 3};
    std::array<float, 3> sums{};
    std::array inputs{jitune_named("x", jitune_array(JITUNE_FLOAT32, x_.data())),
                      jitune_named("k", jitune_array(JITUNE_FLOAT32, scale.data()))};
    inputs[1].extent = JITUNE_PER_SEGMENT;
    const jitune_formula_argument output =
        jitune_named("s", jitune_array(JITUNE_FLOAT32, sums.data()));
    const auto run = [&](const jitune_argument& its_offsets) {
        return jitune_formula_run(formula_, inputs.data(), 2,
                                  jitune_each_segment(its_offsets, 3, 4), &output, 1);
    };
    const jitune_argument given = jitune_array(JITUNE_INT32, offsets.data());
    expect_ok(run(given));
    EXPECT_EQ(sums, (std::array<float, 3>{1, 0, 27}));
    for (const jitune_type type : {JITUNE_INT16, JITUNE_FLOAT32}) {
        expect_usage("offsets of segments must be an array of integers",
                     run(jitune_array(type, offsets.data())));
    }
    expect_usage("argument offsets must be a pointer to int32",
                 run(jitune_integer(JITUNE_INT32, 0)));

    jitune_prepared* prepared = nullptr;
    expect_ok(jitune_formula_prepare(formula_, inputs.data(), 2,
                                     jitune_each_segment(jitune_array(JITUNE_INT32, nullptr), 3, 4),
                                     &output, 1, "host", &prepared));
    sums = {};
    const std::array arguments{inputs[0].argument, inputs[1].argument, output.argument, given};
    expect_ok(jitune_launch_kernel(prepared, arguments.data(), arguments.size(), nullptr));
    EXPECT_EQ(sums, (std::array<float, 3>{1, 0, 27}));
    jitune_prepared_destroy(prepared);
}

TEST_F(CFormulaHost, RefusesWhatTheLibraryRefuses) {
    expect_usage("sum(x", jitune_formula_create(session_, "sum(x", nullptr, 0, &formula_));
    EXPECT_EQ(formula_, nullptr);
    expect_usage("text is null", jitune_formula_create(session_, nullptr, nullptr, 0, &formula_));
    expect_usage("formula is null", jitune_formula_create(session_, "sum(x)", nullptr, 0, nullptr));
    read("sum(x)");
    float sum = 0;
    const jitune_formula_argument x = jitune_named("x", jitune_array(JITUNE_FLOAT32, x_.data()));
    const jitune_formula_argument result =
        jitune_named("result", jitune_array(JITUNE_FLOAT32, &sum));
    const auto run = [&](const jitune_formula_argument& input,
                         const jitune_formula_argument& output, std::int64_t n = 4) {
        return jitune_formula_run(formula_, &input, 1, jitune_flat(n), &output, 1);
    };
    expect_usage("n is -1", run(x, result, -1));
    expect_usage("neither an input", run(jitune_named("y", x.argument), result));
    expect_usage("jitune_formula_argument.name is null",
                 run(jitune_named(nullptr, x.argument), result));
    expect_usage("\"q\", which the formula does not give",
                 run(x, jitune_named("q", result.argument)));
    expect_usage("is a value", run(x, jitune_named("result", jitune_float(0))));
    jitune_formula_argument wrong = x;
    wrong.argument.kind = JITUNE_POINTER;
    expect_usage("needs an element type", run(wrong, result));
    wrong.argument = jitune_array(static_cast<jitune_type>(99), x_.data());
    expect_usage("99 is no jitune_type", run(wrong, result));
    expect_usage("inputs is null",
                 jitune_formula_run(formula_, nullptr, 1, jitune_flat(4), &result, 1));
    expect_usage("outputs is null",
                 jitune_formula_run(formula_, &x, 1, jitune_flat(4), nullptr, 1));
    expect_usage("no output", jitune_formula_run(formula_, &x, 1, jitune_flat(4), nullptr, 0));
    expect_usage("formula is null", jitune_formula_run(nullptr, &x, 1, jitune_flat(4), &result, 1));
    size_t count = 0;
    expect_usage("results is null",
                 jitune_formula_results(formula_, &x, 1, jitune_flat(4), nullptr, 1, &count));
    expect_usage("count is null", jitune_formula_inputs(formula_, nullptr, 0, nullptr));
    const std::array two{x, jitune_named("y", x.argument)};
    expect_usage("does not read", jitune_formula_results(formula_, two.data(), 2, jitune_flat(4),
                                                         nullptr, 0, &count));
    EXPECT_EQ(sum, 0);
    expect_ok(run(x, result));
    EXPECT_EQ(sum, 10);
}

}  // namespace
}  // namespace jitune::internal
