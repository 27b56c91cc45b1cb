// SPDX-License-Identifier: Apache-2.0
// Formulas on the host, compiled for real.

#include <cstdlib>

#include <gtest/gtest.h>

#include "fixtures/await_tunings.hpp"
#include "fixtures/custom_operations.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/formula_case.hpp"
#include "jitune/error.hpp"
#include "jitune/map_reduce.hpp"

namespace jitune::internal {
namespace {

class MapReduceHost : public testing::Test {
protected:
    static Options quick_options() {
        Options options;
        options.database.clear();
        options.on_miss = TunePolicy::template_default;
        options.worker = "none";
        return options;
    }

    void expect_right(unsigned seed, std::size_t n) {
        const RandomFormula one(seed, n);
        SCOPED_TRACE(fmt::format("seed {}, n {}: {}", seed, n, one.text));
        std::vector<std::vector<std::byte>> arrays;
        std::vector<FormulaArgument> inputs, outputs;
        for (std::size_t k = 0; k < one.binding.inputs.size(); ++k) {
            const FormulaInput& input = one.binding.inputs[k];
            arrays.push_back(stored_values(input.type, one.input(k)));
            std::uint64_t bits = 0;
            std::memcpy(&bits, arrays.back().data(),
                        std::min<std::size_t>(arrays.back().size(), sizeof bits));
            inputs.emplace_back(input.name,
                                input.kind == FormulaInput::Kind::value
                                    ? KernelArgument::scalar(input.type, bits)
                                    : KernelArgument::array(input.type, arrays.back().data()));
        }
        std::vector<std::vector<std::byte>> results;
        for (std::size_t k = 0; k < one.binding.outputs.size(); ++k) {
            const FormulaOutput& output = one.binding.outputs[k];
            results.emplace_back(one.answers[k].values.size() * bytes_of(output.type));
            outputs.emplace_back(output.name,
                                 KernelArgument::array(output.type, results.back().data()));
        }
        MapReduce(one.text, session_).on_host(inputs, static_cast<std::int64_t>(n), outputs);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            EXPECT_EQ(
                complaint(one.answers[k], read_values(one.binding.outputs[k].type, results[k])), "")
                << one.binding.outputs[k].name;
        }
    }

    Session session_{quick_options()};
};

TEST_F(MapReduceHost, GivesTheAnswersOfRandomFormulas) {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        expect_right(seed, seed % 3 == 0 ? 1 : seed % 3 == 1 ? 1000 : 70'001);
    }
}

TEST_F(MapReduceHost, OneResultOfRanges) {
    setenv("JITUNE_DB", "none", 1);  // of the standard session, not the user's own
    const std::vector<float> x{1, 2, 3}, y{4, 5, 6};
    EXPECT_EQ(tuned_map_reduce<double>("sum(x * y)", x, y), 32);
    EXPECT_EQ(tuned_map_reduce("max(abs(x - y))", x, y), 3.0F);
    EXPECT_EQ(tuned_map_reduce("sum(x * y)", std::vector<float>(), std::vector<float>()), 0);
    expect_error(ErrorKind::usage, "ends with an array, not with one result",
                 [&] { static_cast<void>(tuned_map_reduce("y[i] = x", x)); });
    EXPECT_EQ(tuned_map_reduce("m = max(x); sum_above = sum(x - m)", x), -3.0F);
    expect_error(ErrorKind::usage, "gives one result, \"b\", and nothing uses \"a\"",
                 [&] { static_cast<void>(tuned_map_reduce("a = sum(x); b = max(x)", x)); });
    const std::vector<float> shorter{1};
    expect_error(ErrorKind::usage,
                 "3 and 1 elements: give arrays of equal length, or call MapReduce::on_host with "
                 "each_row(rows, columns) and per_column(pointer)",
                 [&] { static_cast<void>(tuned_map_reduce("sum(x * y)", x, shorter)); });
}

TEST_F(MapReduceHost, StatementsRunInTheirOrder) {
    const MapReduce step(
        "pap = sum(p * q); alpha = rr / pap; x[i] = x + alpha * p; r[i] = r - alpha * q; rn = "
        "sum(r * r)",
        session_);
    const std::vector<float> p{1, 2}, q{3, 1};  // pap = 5
    std::vector<float> x{0, 10}, r{4, 4};
    const float rr = 10;  // alpha = 2
    float rn = 0, pap = 0;
    step.on_host({{"p", p.data()},
                  {"q", q.data()},
                  {"rr", scalar_at(&rr)},
                  {"x", x.data()},
                  {"r", r.data()}},
                 2, {{"x", x.data()}, {"r", r.data()}, {"rn", &rn}, {"pap", &pap}});
    EXPECT_EQ(x, (std::vector<float>{2, 14}));
    EXPECT_EQ(r, (std::vector<float>{-2, 2}));
    EXPECT_EQ(rn, 8);
    EXPECT_EQ(pap, 5);
}

TEST_F(MapReduceHost, AWrittenArrayHidesTheScalarOfItsName) {
    const std::vector<float> y{1, 2};
    std::vector<float> x(2), z(2);
    MapReduce("x[i] = x + y; m = max(x); z[i] = x - m", session_)
        .on_host({{"x", 5.0F}, {"y", y.data()}}, 2, {{"x", x.data()}, {"z", z.data()}});
    EXPECT_EQ(x, (std::vector<float>{6, 7}));
    EXPECT_EQ(z, (std::vector<float>{-1, 0}));
}

TEST_F(MapReduceHost, ReductionsStandInsideOtherExpressions) {
    const std::vector<float> x{1, 2, 3, 6};
    float result = 0;
    MapReduce("sqrt(sum((x - mean(x))**2) / n)", session_)
        .on_host({{"x", x.data()}}, 4, {{"result", &result}});
    EXPECT_FLOAT_EQ(result, std::sqrt(3.5F));
    std::vector<double> y(4);
    MapReduce("m = max(x); s = sum(exp(x - m)); y[i] = exp(x - m) / s", session_)
        .on_host({{"x", x.data()}}, 4, {{"y", y.data()}});
    EXPECT_NEAR(y[0] + y[1] + y[2] + y[3], 1, 1e-6);
    EXPECT_NEAR(y[3] / y[2], std::exp(3), 1e-5);
}

TEST_F(MapReduceHost, AnExpressionGivesTheInitialValue) {
    const MapReduce formula("total = start + sum(x); m = max(top, max(x)); l = min(top, min(x))",
                            session_);
    const std::vector<float> x{1, 2, 6};
    double total = 10;
    float m = 0, l = 0;
    for (const float top : {5.0F, 7.0F}) {
        formula.on_host({{"start", scalar_at(&total)}, {"x", x.data()}, {"top", top}}, 3,
                        {{"total", &total}, {"m", &m}, {"l", &l}});
        EXPECT_EQ(m, std::max(top, 6.0F));
        EXPECT_EQ(l, 1);
    }
    EXPECT_EQ(total, 10 + 9 + 9);
    formula.on_host({{"start", 1.5}, {"x", x.data()}, {"top", scalar_at(&m)}}, 0,
                    {{"total", &total}, {"m", &m}, {"l", &l}});
    EXPECT_EQ(total, 1.5);
    EXPECT_EQ(m, 7);
    EXPECT_EQ(l, 7);
}

TEST_F(MapReduceHost, StagesAreTunedAndStayRight) {
    Options options = quick_options();
    options.on_miss = TunePolicy::now;
    options.budget = std::chrono::milliseconds(300);
    Session session(options);
    const MapReduce softmax("m = max(x); s = sum(exp(x - m)); y[i] = exp(x - m) / s", session);
    const std::vector<float> x(100'000, 1);
    std::vector<float> y(x.size());
    for (int call = 0; call < 2; ++call) {
        softmax.on_host({{"x", x.data()}}, 100'000, {{"y", y.data()}});
        await_tunings(session);
        EXPECT_NEAR(y.front(), 1e-5, 1e-9);
    }
    EXPECT_EQ(session.counters().tunings, 1);
}

TEST_F(MapReduceHost, RoundedValuesAreTuned) {
    Options options = quick_options();
    options.on_miss = TunePolicy::now;
    options.budget = std::chrono::milliseconds(300);
    Session session(options);
    const std::vector<float> x(1'000'000, 1);
    std::vector<std::int8_t> q(x.size());
    std::vector<float> r(x.size());
    std::int64_t s = 0;
    const MapReduce formula(
        "q[i] = rint(x * (127 / max_abs(x))); r[i] = 100.1 * x - floor(100.1 * x); s = "
        "sum(int32(1000.1 * x))",
        session);
    const std::vector<FormulaArgument> inputs{{"x", x.data()}},
        outputs{{"q", q.data()}, {"r", r.data()}, {"s", &s}};
    formula.on_host(inputs, std::ssize(x), outputs);
    await_tunings(session);
    EXPECT_EQ(s, 1'000'000'000);
    EXPECT_EQ(q.back(), 127);
    EXPECT_EQ(formula.prepare(inputs, std::ssize(x), outputs, "host").info().origin, Origin::tuned);
}

TEST_F(MapReduceHost, SumsOfIntegersWrapAndCountEachElement) {
    std::vector<std::int32_t> x(70'001, 100'000);
    std::vector<std::int8_t> y(x.size(), -1);
    std::int32_t sum = 0, negative = 0, most = 0;
    std::int64_t wide = 0;
    std::uint32_t bits = 0;
    MapReduce("s = sum(x); w = sum(x); m = sum(y * 3); l = max(x - i); b = sum(uint32(y))",
              session_)
        .on_host({{"x", x.data()}, {"y", y.data()}}, 70'001,
                 {{"s", &sum}, {"w", &wide}, {"m", &negative}, {"l", &most}, {"b", &bits}});
    EXPECT_EQ(wide, 7'000'100'000);
    EXPECT_EQ(sum, static_cast<std::int32_t>(7'000'100'000));
    EXPECT_EQ(negative, -3 * 70'001);
    EXPECT_EQ(most, 100'000);
    EXPECT_EQ(bits, static_cast<std::uint32_t>(-70'001));
}

TEST_F(MapReduceHost, AFloatBecomesTheNearestIntegerOfAnyWidth) {
    const std::vector<float> x{300.5F, -300, 1e10F, NAN, -INFINITY, 127.9F};
    std::vector<std::int8_t> a(x.size());
    std::vector<std::uint8_t> b(x.size());
    std::vector<std::int16_t> c(x.size());
    std::vector<std::uint16_t> d(x.size());
    MapReduce("a[i] = x; b[i] = x; c[i] = 1000 * x; d[i] = 1000 * x; ", session_)
        .on_host({{"x", x.data()}}, std::ssize(x),
                 {{"a", a.data()}, {"b", b.data()}, {"c", c.data()}, {"d", d.data()}});
    EXPECT_EQ(a, (std::vector<std::int8_t>{127, -128, 127, 0, -128, 127}));
    EXPECT_EQ(b, (std::vector<std::uint8_t>{255, 0, 255, 0, 0, 127}));
    EXPECT_EQ(c, (std::vector<std::int16_t>{32767, -32768, 32767, 0, -32768, 32767}));
    EXPECT_EQ(d, (std::vector<std::uint16_t>{65535, 0, 65535, 0, 0, 65535}));
}

TEST_F(MapReduceHost, ANarrowPlaceDoesNotNarrowWhatIsAccumulated) {
    constexpr std::int64_t kLarge = std::int64_t{1} << 40;
    const std::vector<std::int64_t> k{kLarge, 1, -kLarge};
    float sum = 0, mean = 0;
    MapReduce("s = sum(k); m = mean(k)", session_)
        .on_host({{"k", k.data()}}, 3, {{"s", &sum}, {"m", &mean}});
    EXPECT_EQ(sum, 1);
    EXPECT_FLOAT_EQ(mean, 1.0F / 3);
}

TEST_F(MapReduceHost, AVarianceKeepsItsDigitsFarFromZeroAndFromTheFirstElement) {
    constexpr std::size_t kN = 1'000'003;
    const MapReduce formula("v = var(x)", session_);
    for (const float far : {0.0F, 1e4F, 1e6F, 1e7F}) {
        for (const float first : {far, 0.0F, -1e4F * far}) {
            SCOPED_TRACE(fmt::format("around {}, first {}", far, first));
            std::vector<float> x(kN, first);
            double sum = first, squares = 0;
            for (std::size_t i = 1; i < kN; ++i) {
                x[i] = far + static_cast<float>(i * 7919 % 1000) / 64;
                sum += x[i];
            }
            for (const float one : x) {
                squares += (one - sum / kN) * (one - sum / kN);
            }
            float variance = 0;
            formula.on_host({{"x", x.data()}}, kN, {{"v", &variance}});
            EXPECT_NEAR(variance / (squares / kN), 1, 1e-5);
        }
    }
}

TEST_F(MapReduceHost, NoElementsGiveTheResultsOfTheOperations) {
    const std::vector<float> x{1};
    float sum = 1, least = 1;
    double log_sum = 1;
    MapReduce("s = sum(x); l = min(x); g = log_sum_exp(x)", session_)
        .on_host({{"x", x.data()}}, 0, {{"s", &sum}, {"l", &least}, {"g", &log_sum}});
    EXPECT_EQ(sum, 0);
    EXPECT_EQ(least, INFINITY);
    EXPECT_EQ(log_sum, -INFINITY);
}

TEST_F(MapReduceHost, AnArrayWithoutElementsNeedsNoAddress) {
    const MapReduce formula("s = sum(x); y[i] = x", session_);
    const float* const x = nullptr;
    float *const y = nullptr, *const nowhere = nullptr;
    float sum = 1;
    formula.on_host({{"x", x}}, 0, {{"s", &sum}, {"y", y}});
    EXPECT_EQ(sum, 0);
    expect_error(ErrorKind::usage, "argument out_s", [&] {
        formula.on_host({{"x", x}}, 0, {{"s", nowhere}, {"y", y}});
    });
}

TEST_F(MapReduceHost, CallsOperationsOfOnesOwn) {
    CustomOperation log_sum = log_sum_exp("expf", "logf");
    log_sum.name = "log_sum";
    CustomOperation both;  // of one byte, and its element and index
    both.name = "both";
    both.state = "signed char";
    both.identity = "-1";
    both.map = "static_cast<signed char>(static_cast<int>(x) + static_cast<int>(i))";
    both.combine = "static_cast<signed char>(a & b)";
    both.finish = "a + static_cast<int>(n)";
    both.result = ElementType::int32;
    both.tolerance = 0;
    const MapReduce formula(
        "l = log_sum(x - m, x < 90); b = both(c); y[i] = x - l; s = sum(y); l2 = l + log_sum(0 * "
        "x)",
        {log_sum, both}, session_);
    const std::vector<float> x{1, 2, 3, 99};
    const std::vector<std::int8_t> c{7, 6, 5, 20};  // 7, 7, 7, 23
    std::vector<float> y(4);
    float l = 0, l2 = 0, s = 0;
    std::int32_t b = 0;
    formula.on_host({{"x", x.data()}, {"m", 3.0F}, {"c", c.data()}}, 4,
                    {{"l", &l}, {"b", &b}, {"y", y.data()}, {"s", &s}, {"l2", &l2}});
    const double expected = std::log(1 + std::exp(-1) + std::exp(-2));
    EXPECT_NEAR(l, expected, 1e-6);
    EXPECT_EQ(b, 7 + 4);
    EXPECT_FLOAT_EQ(y.back(), 99 - l);
    EXPECT_NEAR(s, 105 - 4 * l, 1e-4);
    EXPECT_NEAR(l2, l + std::log(4), 1e-6);
}

TEST_F(MapReduceHost, OperationsOfOnesOwnAreTuned) {
    Options options = quick_options();
    options.on_miss = TunePolicy::now;
    options.budget = std::chrono::milliseconds(300);
    Session session(options);
    CustomOperation log_sum = log_sum_exp("expf", "logf");
    log_sum.name = "log_sum";
    log_sum.map = "Pair{sizeof x == 4 ? x : 0, 1.0f}";  // float in the reference, too
    const MapReduce formula("log_sum(x + y)", {log_sum}, session);
    const std::vector<float> x = logits(100'000), zeros(x.size());
    float result = 0;
    formula.on_host({{"x", x.data()}, {"y", zeros.data()}}, std::ssize(x), {{"result", &result}});
    await_tunings(session);
    EXPECT_EQ(session.counters().tunings, 1);
    EXPECT_NEAR(result, log_sum_exp_of(x), 1e-3);
    const FormulaArgument inputs[]{{"x", x.data()}, {"y", zeros.data()}}, output{"result", &result};
    EXPECT_EQ(formula.prepare(inputs, std::ssize(x), std::span(&output, 1), "host").info().origin,
              Origin::tuned);
}

TEST_F(MapReduceHost, RefusesBadOperationsOfOnesOwn) {
    CustomOperation parity = indexed_xor();
    const std::vector<std::int32_t> x{1};
    std::uint64_t result = 0;
    const auto refuses = [&](ErrorKind kind, const char* reason, const char* formula,
                             FormulaArgument output) {
        SCOPED_TRACE(reason);
        expect_error(kind, reason, [&] {
            MapReduce(formula, {parity}, session_)
                .on_host(std::vector<FormulaArgument>{{"x", x.data()}}, 1, std::vector{output});
        });
    };
    float narrow = 0;
    refuses(ErrorKind::usage, "indexed_xor of int32 has no result of float32", "r = indexed_xor(x)",
            {"r", &narrow});
    refuses(ErrorKind::usage, "indexed_xor(expression) or indexed_xor(expression, where)",
            "r = indexed_xor(x, x, x)", {"r", &result});
    refuses(ErrorKind::usage, "count_nonzero, indexed_xor", "r = other_xor(x)", {"r", &result});
    refuses(ErrorKind::usage,
            "\"other_xor\" is neither a function nor an operation that formulas know; operations "
            "are sum",
            "r = other_xor(x)", {"r", &result});
    expect_error(ErrorKind::usage, "two custom operations \"indexed_xor\"", [&] {
        MapReduce("indexed_xor(x)", {parity, parity}, session_);
    });
    parity.combine = "a ^ c";
    refuses(ErrorKind::compile, "indexed_xor.combine:1:5", "r = indexed_xor(x)", {"r", &result});
    parity.combine = "a ^ b)";
    refuses(ErrorKind::usage, "its combine has an unmatched \")\"", "r = indexed_xor(x)",
            {"r", &result});
    for (const char* word : {"sum", "expf", "where", "int", "i"}) {
        parity = indexed_xor();
        parity.name = word;
        expect_error(ErrorKind::usage, "its name has a meaning in formulas",
                     [&] { MapReduce("sum(x)", {parity}, session_); });
    }
}

TEST_F(MapReduceHost, APreparedFormulaOnlyLaunches) {
    std::vector<float> x{1, 2, 3}, y(3);
    double sum = 0;
    const MapReduce formula("y[i] = k * x; s = sum(y)", session_);
    const std::vector<FormulaArgument> inputs{{"x", x.data()}, {"k", 2.0F}},
        outputs{{"s", &sum}, {"y", y.data()}};
    const PreparedKernel ready = formula.prepare(inputs, 3, outputs, "host");
    EXPECT_EQ(ready.info().device, "host");
    EXPECT_EQ(y.back(), 0);
    const auto compiles = session_.counters().compiles;
    ready({x.data(), 2.0F, &sum, y.data()});
    EXPECT_EQ(sum, 12);
    EXPECT_EQ(y, (std::vector<float>{2, 4, 6}));
    ready({y.data(), 0.5F, &sum, x.data()});
    EXPECT_EQ(sum, 6);
    EXPECT_EQ(session_.counters().compiles, compiles);
    expect_error(ErrorKind::usage, "argument in_k", [&] {
        ready({x.data(), 2.0, &sum, y.data()});
    });
    expect_error(ErrorKind::usage, "n is 0; it must be at least 1",
                 [&] { static_cast<void>(formula.prepare(inputs, 0, outputs, "host")); });
}

TEST_F(MapReduceHost, RefusesWhatDoesNotFit) {
    const std::vector<float> x{1};
    float out = 0;
    std::int32_t whole = 0;
    const auto refuses = [&](const char* formula, const char* reason, FormulaArgument output) {
        SCOPED_TRACE(formula);
        const std::vector<FormulaArgument> inputs{{"x", x.data()}};
        expect_error(ErrorKind::usage, reason,
                     [&] { MapReduce(formula, session_).on_host(inputs, 1, std::vector{output}); });
    };
    refuses("r = sum(x * y)", "\"y\" is neither an input of the call nor a result above",
            {"r", &out});
    refuses("r = sum(x * pi)",
            "\"pi\" is neither an input of the call nor a result above: write 3.141592653589793\n",
            {"r", &out});
    refuses("r = sum(x) + median(x)",
            "\"median\" is neither a function nor an operation that "
            "formulas know: formulas have no sort, scan or quantile",
            {"r", &out});
    refuses("r = sum(i)", "the call brings \"x\", which the formula does not read", {"r", &out});
    refuses("r = sum(x)",
            "the call wants \"q\", which the formula does not give; it gives \"r\":", {"q", &out});
    refuses("r = x * 2", "has a value for each element, but one value is needed", {"r", &out});
    refuses("r = sum(x)", "sum of float32 has no result of int32", {"r", &whole});
    refuses("r = sum(x) / n", "a result of float32 has no place of int32", {"r", &whole});
    refuses("y[i] = x", "the call gives no place for it", {"r", &out});
    expect_error(ErrorKind::usage, "gives no output; the formula has \"a\", \"y\": give places",
                 [&] {
                     MapReduce("a = sum(x); y[i] = x", session_).on_host({{"x", x.data()}}, 1, {});
                 });
    MapReduce("r = sum(c ? pi : if * T)", session_)
        .on_host({{"c", x.data()}, {"pi", 3.0F}, {"if", x.data()}, {"T", x.data()}}, 1,
                 {{"r", &out}});
    EXPECT_EQ(out, 3);
    expect_error(ErrorKind::usage, "argument in_x must be a pointer to float32, not null", [&] {
        const float* const none = nullptr;
        MapReduce("sum(x)", session_).on_host({{"x", none}}, 1, {{"result", &out}});
    });
    expect_error(ErrorKind::usage, "must be at least 0 and at most 2^40", [&] {
        MapReduce("sum(x)", session_)
            .on_host({{"x", x.data()}}, std::int64_t{1} << 41, {{"result", &out}});
    });
    expect_error(ErrorKind::usage, "must be at least 0 and at most 2^40", [&] {
        MapReduce("sum(x)", session_).on_host({{"x", x.data()}}, -1, {{"result", &out}});
    });
}

}  // namespace
}  // namespace jitune::internal
