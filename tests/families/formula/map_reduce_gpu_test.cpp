// SPDX-License-Identifier: Apache-2.0
// Formulas on a GPU.

#include <bit>
#include <cmath>

#include "fixtures/custom_operations.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/formula_case.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "jitune/error.hpp"
#include "jitune/map_reduce.hpp"

namespace jitune::internal {
namespace {

class MapReduceGpu : public GpuFixture {
protected:
    using Bytes = DeviceArray<std::byte>;

    /// Each array begins `offset` elements past an aligned address; with `apart`, each another
    /// number.
    void expect_right(Session& session, unsigned seed, std::size_t n, std::size_t offset,
                      bool apart) {
        const RandomFormula one(seed, n);
        SCOPED_TRACE(fmt::format("seed {}, n {}, offset {}: {}", seed, n, offset, one.text));
        std::vector<std::unique_ptr<Bytes>> arrays;
        std::vector<FormulaArgument> inputs, outputs;
        const auto place = [&](std::size_t k, ElementType type) {
            return (offset + (apart ? k : 0)) * bytes_of(type);
        };
        for (std::size_t k = 0; k < one.binding.inputs.size(); ++k) {
            const FormulaInput& input = one.binding.inputs[k];
            const auto values = stored_values(input.type, one.input(k));
            if (input.kind == FormulaInput::Kind::value) {
                std::uint64_t bits = 0;
                std::memcpy(&bits, values.data(), values.size());
                inputs.emplace_back(input.name, KernelArgument::scalar(input.type, bits));
            } else {
                arrays.push_back(std::make_unique<Bytes>(*driver_, values, place(k, input.type)));
                inputs.emplace_back(input.name,
                                    KernelArgument::array(input.type, arrays.back()->data()));
            }
        }
        std::vector<std::unique_ptr<Bytes>> results;
        for (std::size_t k = 0; k < one.binding.outputs.size(); ++k) {
            const FormulaOutput& output = one.binding.outputs[k];
            results.push_back(std::make_unique<Bytes>(
                *driver_, one.answers[k].values.size() * bytes_of(output.type),
                place(k, output.type)));
            outputs.emplace_back(output.name,
                                 KernelArgument::array(output.type, results.back()->data()));
        }
        MapReduce(one.text, session)(inputs, static_cast<std::int64_t>(n), outputs);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            EXPECT_EQ(complaint(one.answers[k],
                                read_values(one.binding.outputs[k].type, results[k]->download())),
                      "")
                << one.binding.outputs[k].name;
        }
    }
};

TEST_F(MapReduceGpu, GivesTheAnswersOfRandomFormulas) {
    constexpr std::size_t kSizes[]{1, 7, 1000, 4099, 70'001, 1 << 20};
    for (unsigned seed = 1; seed <= 24; ++seed) {
        expect_right(session_, seed, kSizes[seed % 6], seed % 5, seed % 2 == 0);
    }
}

TEST_F(MapReduceGpu, TunedFormulasGiveTheSameAnswers) {
    Session tuning(quick_options(TunePolicy::now));
    for (unsigned seed = 101; seed <= 106; ++seed) {
        expect_right(tuning, seed, seed % 2 == 0 ? 300'007 : 5000, 0, false);
    }
}

TEST_F(MapReduceGpu, AStepOfConjugateGradientsIsRight) {
    const MapReduce step(
        "pap = sum(p * q); alpha = rr / pap; x[i] = x + alpha * p; r[i] = r - alpha * q; rn = "
        "sum(r * r)",
        session_);
    constexpr std::size_t kN = 5000;
    const DeviceArray<float> p(*driver_, std::vector<float>(kN, 1)),
        q(*driver_, std::vector<float>(kN, 2));
    const DeviceArray<float> x(*driver_, std::vector<float>(kN, 0)),
        r(*driver_, std::vector<float>(kN, 4));
    const DeviceArray<float> rr(*driver_, std::vector<float>{10'000}), rn(*driver_, 1);
    CUstream stream = nullptr;
    ASSERT_EQ(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    const auto call = [&] {
        step({{"p", p.data()},
              {"q", q.data()},
              {"rr", scalar_at(rr.data())},
              {"x", x.data()},
              {"r", r.data()}},
             kN, {{"x", x.data()}, {"r", r.data()}, {"rn", rn.data()}}, stream);
    };
    call();  // alpha = 1
    ASSERT_EQ(driver_->cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(x.download(), std::vector<float>(kN, 1));
    EXPECT_EQ(r.download(), std::vector<float>(kN, 2));
    EXPECT_EQ(rn.download().front(), 4 * kN);
    driver_->cuStreamDestroy(stream);
}

TEST_F(MapReduceGpu, AnExpressionGivesTheInitialValue) {
    const MapReduce formula("total = start + sum(x); m = max(top, max(x))", session_);
    constexpr std::size_t kN = 300'007;
    const DeviceArray<float> x(*driver_, std::vector<float>(kN, 1)),
        top(*driver_, std::vector{3.0F}), m(*driver_, 1);
    const DeviceArray<double> total(*driver_, std::vector{10.0});
    for (int call = 0; call < 2; ++call) {
        formula(
            {{"start", scalar_at(total.data())}, {"x", x.data()}, {"top", scalar_at(top.data())}},
            kN, {{"total", total.data()}, {"m", m.data()}});
    }
    EXPECT_EQ(total.download().front(), 10 + 2 * kN);
    EXPECT_EQ(m.download().front(), 3);
}

TEST_F(MapReduceGpu, CallsOperationsOfOnesOwn) {
    CustomOperation log_sum = log_sum_exp("__expf", "__logf");
    log_sum.name = "log_sum";
    const MapReduce formula("l = log_sum(x * y); b = indexed_xor(i); s = sum(x)",
                            {log_sum, indexed_xor()}, session_);
    const std::vector<float> values = logits(70'001);
    std::vector<std::int32_t> indices(values.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
        indices[i] = static_cast<std::int32_t>(i);
    }
    const DeviceArray<float> x(*driver_, values), y(*driver_, std::vector<float>(values.size(), 1)),
        l(*driver_, 1), s(*driver_, 1);
    const DeviceArray<std::uint64_t> b(*driver_, 1);
    formula({{"x", x.data()}, {"y", y.data()}}, std::ssize(values),
            {{"l", l.data()}, {"b", b.data()}, {"s", s.data()}});
    EXPECT_NEAR(l.download().front(), log_sum_exp_of(values), 1e-3);
    EXPECT_EQ(b.download().front(), indexed_xor_of(indices));
}

/// Two calls give the place of a NaN, and NaNs as extremes.
template <class T>
void expect_found(Session& session, const DriverTable& driver, T nan) {
    constexpr std::int64_t kCount = 70'001, kPlace = 40'000;
    std::vector<T> values(kCount, 1);
    values[kPlace] = nan;
    const DeviceArray<T> x(driver, values), most(driver, 1), least(driver, 1);
    const DeviceArray<std::int64_t> at(driver, 1);
    const MapReduce place("at = arg_max(x)", session), extremes("m = max(x); l = min(x)", session);
    for (int call = 0; call < 2; ++call) {
        place({{"x", x.data()}}, kCount, {{"at", at.data()}});
        extremes({{"x", x.data()}}, kCount, {{"m", most.data()}, {"l", least.data()}});
        EXPECT_EQ(at.download().front(), kPlace);
        EXPECT_TRUE(std::isnan(most.download().front()));
        EXPECT_TRUE(std::isnan(least.download().front()));
    }
}

TEST_F(MapReduceGpu, TheNanThatMarksSlotsIsAState) {
    expect_found(session_, *driver_, std::bit_cast<float>(0x7ff8beefu));
    expect_found(session_, *driver_, std::bit_cast<double>(0x7ff8beef'00000000u));
}

TEST_F(MapReduceGpu, NoElementsGiveTheResultsOfTheOperations) {
    const DeviceArray<float> x(*driver_, 1), sum(*driver_, std::vector<float>{1}),
        least(*driver_, std::vector<float>{1});
    MapReduce("s = sum(x); l = min(x)", session_)({{"x", x.data()}}, 0,
                                                  {{"s", sum.data()}, {"l", least.data()}});
    EXPECT_EQ(sum.download().front(), 0);
    EXPECT_EQ(least.download().front(), INFINITY);
}

}  // namespace
}  // namespace jitune::internal
