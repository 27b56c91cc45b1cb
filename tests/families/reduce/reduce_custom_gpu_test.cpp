// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include "fixtures/await_tunings.hpp"
#include "fixtures/custom_operations.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "fixtures/reduce_form.hpp"
#include "jitune/reduce_shapes.hpp"

namespace jitune::internal {
namespace {

class ReduceCustom : public GpuFixture {
protected:
    float log_sum_exp_on_device(const std::vector<float>& values, Session& session) {
        const DeviceArray<float> array(*driver_, values, 1);
        return tuned_reduce(array.data(), values.size(), operation_, nullptr, session);
    }
    void expect_compile_error(const CustomOperation& operation, const std::string& words) {
        const DeviceArray<float> array(*driver_, std::vector<float>(100, 1));
        expect_error(ErrorKind::compile, words,
                     [&] { return tuned_reduce(array.data(), 100, operation, nullptr, session_); });
    }

    CustomOperation operation_ = log_sum_exp("__expf", "__logf");
};

TEST_F(ReduceCustom, LogSumExpIsThatOfTheHost) {
    for (const std::size_t n : {1u, 2u, 33u, 4097u, 1'048'583u}) {
        const std::vector<float> values = logits(n);
        const double right = log_sum_exp_of(values);
        const double got = static_cast<double>(log_sum_exp_on_device(values, session_));
        EXPECT_NEAR(got, right, 1e-4 * std::abs(right) + 1e-5) << n;
    }
}

TEST_F(ReduceCustom, LogSumExpIsTunedAgainstTheTemplatesReference) {
    Session session(quick_options(TunePolicy::now));
    const std::vector<float> values = logits(300'007);
    const double right = log_sum_exp_of(values);
    EXPECT_NEAR(static_cast<double>(log_sum_exp_on_device(values, session)), right, 1e-4 * right);
    await_tunings(session);
    EXPECT_NEAR(static_cast<double>(log_sum_exp_on_device(values, session)), right, 1e-4 * right);
    EXPECT_EQ(session.counters().tunings, 1);
    EXPECT_GT(session.counters().compiles, 1);
}

TEST_F(ReduceCustom, AnIntegerOperationIsExactAtEverySizeAndOffset) {
    const CustomOperation operation = indexed_xor();
    for (const std::size_t n : {1u, 31u, 32u, 33u, 255u, 4095u, 4096u, 4097u, 1'048'583u}) {
        const auto ints = any_bits<std::int32_t>(n);
        const auto bytes = any_bits<std::uint8_t>(n);
        for (std::size_t offset = 0; offset < 4; ++offset) {
            const DeviceArray<std::int32_t> array(*driver_, ints, offset);
            EXPECT_EQ(tuned_reduce<std::uint64_t>(array.data(), n, operation, nullptr, session_),
                      indexed_xor_of(ints));
            const DeviceArray<std::uint8_t> narrow(*driver_, bytes, offset);
            EXPECT_EQ(tuned_reduce<std::uint64_t>(narrow.data(), n, operation, nullptr, session_),
                      indexed_xor_of(bytes));
        }
    }
}

TEST_F(ReduceCustom, ATunedIntegerOperationIsExact) {
    Session session(quick_options(TunePolicy::now));
    const CustomOperation operation = indexed_xor();
    const auto values = any_bits<std::int16_t>(300'007);
    const DeviceArray<std::int16_t> array(*driver_, values, 1);
    EXPECT_EQ(tuned_reduce<std::uint64_t>(array.data(), values.size(), operation, nullptr, session),
              indexed_xor_of(values));
}

TEST_F(ReduceCustom, TwoOperationsOfOneNameAreNotMixedUp) {
    const std::vector<float> values(1000, 2);
    const DeviceArray<float> array(*driver_, values);
    CustomOperation operation;
    operation.name = "mine";
    operation.state = "float";
    operation.identity = "0.0f";
    operation.map = "x";
    operation.combine = "a + b";
    EXPECT_EQ(tuned_reduce(array.data(), 1000, operation, nullptr, session_), 2000);
    operation.map = "x * x";
    EXPECT_EQ(tuned_reduce(array.data(), 1000, operation, nullptr, session_), 4000);
    operation.finish = "a / n";
    EXPECT_EQ(tuned_reduce(array.data(), 1000, operation, nullptr, session_), 4);
    EXPECT_EQ(session_.counters().compiles, 3);
    EXPECT_EQ(tuned_reduce(array.data(), 1000, operation, nullptr, session_), 4);
    EXPECT_EQ(session_.counters().compiles, 3);
}

TEST_F(ReduceCustom, SixteenBitFloatsArriveAsFloats) {
    const DeviceArray<float16> array(*driver_, std::vector<float16>(5000, float16(-0.25f)), 1);
    CustomOperation operation;
    operation.name = "lowest_cube";
    operation.state = "float";
    operation.identity = "1e30f";
    operation.map = "x * x * x";
    operation.combine = "a < b ? a : b";
    EXPECT_EQ(tuned_reduce(array.data(), 5000, operation, nullptr, session_), -1.0f / 64);
}

TEST_F(ReduceCustom, ResultsOf16BitsAreRoundedToTheNearest) {
    std::vector<float> values;
    for (std::size_t i = 0; i < 100'000; ++i) {
        const auto bits = static_cast<std::uint32_t>(i * 0x9e3779b97f4a7c15u >> 32);
        values.push_back(std::bit_cast<float>(bits));
    }
    CustomOperation same;
    same.name = "same";
    same.state = "float";
    same.identity = "-0.0f";
    same.map = "x";
    same.combine = "a + b";
    const DeviceArray<float> array(*driver_, values);
    const auto expect_rounded = [&]<class R>(R) {
        same.result = kElementType<R>;
        const DeviceArray<R> out(*driver_, values.size());
        tuned_reduce_rows(array.data(), static_cast<std::int64_t>(values.size()), 1, out.data(),
                          same, nullptr, session_);
        const std::vector<R> got = out.download();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool is_nan = values[i] != values[i];
            ASSERT_TRUE(is_nan ? std::isnan(static_cast<float>(got[i]))
                               : got[i].bits == R(values[i]).bits)
                << values[i];
        }
    };
    expect_rounded(float16{});
    expect_rounded(bfloat16{});
}

TEST_F(ReduceCustom, ItsConfigurationIsPreparedAndReported) {
    const std::vector<float> values = logits(100'003);
    const DeviceArray<float> array(*driver_, values);
    const DeviceArray<float> result(*driver_, 1);
    const auto prepared = prepare_reduce<float>(values.size(), operation_, {}, session_);
    prepared(array.data(), result.data(), nullptr);
    const double right = log_sum_exp_of(values);
    EXPECT_NEAR(static_cast<double>(result.download().front()), right, 1e-4 * right);
    EXPECT_EQ(prepared.info().origin, Origin::rule);
}

TEST_F(ReduceCustom, AFaultyFieldIsNamedWithTheCompilersWords) {
    CustomOperation broken = operation_;
    broken.combine = "a + b";
    expect_compile_error(broken, "log_sum_exp.combine");
    broken = operation_;
    broken.map = "Pair{x, colour}";
    expect_compile_error(broken, "log_sum_exp.map");
    expect_compile_error(broken, "\"colour\" is undefined");
    broken = operation_;
    broken.definitions = "struct Pair { float top, sum };";
    expect_compile_error(broken, "log_sum_exp.definitions");
}

TEST_F(ReduceCustom, AnEmptyFieldIsRefusedByItsName) {
    CustomOperation empty = operation_;
    empty.combine = " \n";
    const DeviceArray<float> array(*driver_, 100);
    expect_error(ErrorKind::usage, "its combine is empty",
                 [&] { return tuned_reduce(array.data(), 100, empty, nullptr, session_); });
    expect_error(ErrorKind::usage, "needs a CustomOperation", [&] {
        return tuned_reduce(array.data(), 100, ReduceOp::custom, nullptr, session_);
    });
}

}  // namespace
}  // namespace jitune::internal
