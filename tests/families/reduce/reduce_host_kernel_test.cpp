// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "fixtures/reduce_host_kernels.hpp"

namespace jitune::internal {
namespace {

using namespace host_kernels;

struct Corner {
    int unroll, simd_bytes;
};
constexpr Corner kCorners[] = {{1, 16}, {8, 16}, {2, 32}, {4, 32}, {1, 64}, {8, 64}};

struct Threads {
    int count, chunks;
};
constexpr Threads kThreads[] = {{1, 1}, {2, 1}, {3, 4}, {7, 16}};

std::string expression(const char* element, const ResultTypes& types, const std::string& operation,
                       const char* summation, const Corner& corner) {
    return fmt::format("jitune::reduce<{}, {}, {}, jitune::{}, jitune::Summation::{}, {}, {}>",
                       element, types.accumulator, types.result, operation, summation,
                       corner.unroll, corner.simd_bytes);
}

Answer launch(const Program& program, std::string_view result, const void* values, std::size_t n,
              const Threads& threads) {
    std::uint64_t memory = 0;
    program.launch(launch_with(values, std::uint64_t{n}, threads.count, threads.chunks, &memory),
                   nullptr);
    return read_answer(&memory, result);
}

/// Every operation; the corners of the space go round, so that each type meets each of them.
template <class T>
class ReduceHostKernel : public testing::Test {
protected:
    struct Kernel {
        std::size_t operation;  // its place in kOperations
        const char* result;
        std::shared_ptr<const Program> program;
    };

    static void SetUpTestSuite() {
        if (!kernels_.empty()) {
            return;  // another suite of the same type has compiled them
        }
        std::vector<std::string> expressions;
        const auto add = [&](std::size_t place, const char* summation) {
            const char* const operation = kOperations[place];
            const std::size_t turn = expressions.size() + sizeof(T);
            const ResultTypes types = types_of<T>(operation);
            kernels_.push_back({place, types.result, nullptr});
            expressions.push_back(expression(kText<T>, types, operation, summation,
                                             kCorners[turn % std::size(kCorners)]));
        };
        for (std::size_t place = 0; place < std::size(kOperations); ++place) {
            add(place, "pairwise");
        }
        if (kFloats<T>) {
            add(kSum, "compensated");
            add(kNorm, "compensated");
        }
        const auto programs = load_all("reduce.host.cpp", expressions);
        ASSERT_EQ(programs.size(), kernels_.size());
        for (std::size_t i = 0; i < programs.size(); ++i) {
            kernels_[i].program = programs[i];
        }
    }

    /// Products of random floats are 0 or not a number, depending on their order.
    static bool depends_on_order(const Kernel& kernel) {
        return kFloats<T> && kernel.operation == kProduct;
    }

    static void expect_answers(const Kernel& kernel, const T* values, std::size_t n,
                               const Answers& answers) {
        for (const Threads& threads : kThreads) {
            SCOPED_TRACE(fmt::format("{} of {} n={} threads={}x{}", kOperations[kernel.operation],
                                     kText<T>, n, threads.count, threads.chunks));
            expect_answer(launch(*kernel.program, kernel.result, values, n, threads),
                          answers[kernel.operation], kernel.result);
        }
    }

    /// Compares what each kernel answers for `n` values with a loop.
    static void expect_naive(const T* values, std::size_t n) {
        const Answers answers = naive_answers(values, n);
        for (const Kernel& kernel : kernels_) {
            if (!depends_on_order(kernel)) {
                expect_answers(kernel, values, n, answers);
            }
        }
    }

    static inline std::vector<Kernel> kernels_;
};

using ElementTypes =
    testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, Half, Bfloat, float, double>;
TYPED_TEST_SUITE(ReduceHostKernel, ElementTypes);

TYPED_TEST(ReduceHostKernel, AgreesWithALoopForAwkwardSizesAndAddresses) {
    constexpr std::size_t kSizes[] = {1,    2,    31,   32,     33,     63,      64,           65,
                                      1000, 4095, 4096, 16'385, 65'537, 200'003, (1 << 20) + 7};
    for (const std::size_t n : kSizes) {
        const auto values = random_elements<TypeParam>(n + 1);
        this->expect_naive(values.data() + (n % 2), n);
    }
    const auto values = random_elements<TypeParam>(5003);
    for (std::size_t offset = 0; offset < 4; ++offset) {
        this->expect_naive(values.data() + offset, 5000);
    }
}

TYPED_TEST(ReduceHostKernel, MultipliesNonzeroValues) {
    for (const std::size_t n : {7, 100, 3000, 100'000}) {
        std::vector<TypeParam> values(n, element<TypeParam>(1));
        for (std::size_t i = 0; i < n; i += 1 + n / 20) {
            values[i] = element<TypeParam>(3);
        }
        this->expect_answers(this->kernels_.at(kProduct), values.data(), n,
                             naive_answers(values.data(), n));
    }
}

TYPED_TEST(ReduceHostKernel, FindsOneElementAnywhere) {
    const auto zero = element<TypeParam>(0), one = element<TypeParam>(1);
    for (const std::size_t n : {1, 33, 700, 20'000}) {
        for (std::size_t place = 0; place < n; place += 1 + n / 5) {
            std::vector<TypeParam> values(n + 2, one);
            values.front() = values.back() = values[place + 1] = zero;
            this->expect_naive(values.data() + 1, n);
            std::fill(values.begin(), values.end(), zero);
            values.front() = values.back() = values[place + 1] = one;
            this->expect_naive(values.data() + 1, n);
        }
    }
}

TYPED_TEST(ReduceHostKernel, KnowsTheExtremes) {
    using Limits = std::numeric_limits<Wide<TypeParam>>;
    using Own = std::numeric_limits<TypeParam>;
    const auto low = kFloats<TypeParam> ? element<TypeParam>(-Limits::infinity()) : Own::lowest();
    const auto high = kFloats<TypeParam> ? element<TypeParam>(Limits::infinity()) : Own::max();
    for (const std::size_t n : {1, 5, 1000, 20'000}) {
        for (const TypeParam most : {low, high}) {
            std::vector<TypeParam> values(n, most);
            this->expect_naive(values.data(), n);
            std::fill(values.begin(), values.end(), element<TypeParam>(1));
            values[n / 2] = values[n - 1] = most;
            this->expect_naive(values.data(), n);
        }
    }
}

TYPED_TEST(ReduceHostKernel, AnswersTheSameEachTime) {
    const auto values = random_elements<TypeParam>(300'001);
    for (const auto& kernel : this->kernels_) {
        if (this->depends_on_order(kernel)) {
            continue;  // not a number, which differs from itself
        }
        for (const Threads& threads : kThreads) {
            const auto answer = [&] {
                return launch(*kernel.program, kernel.result, values.data(), values.size(),
                              threads);
            };
            const Answer first = answer();
            for (int again = 0; again < 3; ++again) {
                EXPECT_EQ(answer(), first) << kOperations[kernel.operation];
            }
        }
    }
}

template <class T>
class ReduceHostKernelOfFloats : public ReduceHostKernel<T> {};
using FloatTypes = testing::Types<Half, Bfloat, float, double>;
TYPED_TEST_SUITE(ReduceHostKernelOfFloats, FloatTypes);

TYPED_TEST(ReduceHostKernelOfFloats, ANaNAnywhereIsTheAnswer) {
    const auto nan = element<TypeParam>(std::nan(""));
    const auto negative_nan = element<TypeParam>(-std::nan(""));
    for (const std::size_t n : {1, 2, 33, 700, 20'000}) {
        for (std::size_t place = 0; place < n; place += 1 + n / 9) {
            auto values = random_elements<TypeParam>(n);
            values[place] = place % 2 == 0 ? nan : negative_nan;
            values[n - 1] = nan;
            this->expect_naive(values.data(), n);
        }
    }
}

TYPED_TEST(ReduceHostKernelOfFloats, TreatsInfinitiesZerosAndSubnormalsAsArithmeticSays) {
    const auto infinite = element<TypeParam>(HUGE_VAL), minus = element<TypeParam>(-HUGE_VAL);
    std::vector<TypeParam> values(5000, element<TypeParam>(1));
    values[4321] = infinite;
    this->expect_naive(values.data(), values.size());
    values[5] = minus;
    this->expect_naive(values.data(), values.size());

    std::fill(values.begin(), values.end(), element<TypeParam>(-0.0));
    values[4000] = element<TypeParam>(0.0);
    this->expect_naive(values.data(), values.size());
    values[4000] = element<TypeParam>(std::ldexp(3.0, -24));  // subnormal in 16 bits
    this->expect_naive(values.data(), values.size());
}

TEST(ReduceHostKernelOfMixedTypes, AccumulatesInTheWiderType) {
    struct Mix {
        const char* element;
        ResultTypes types;
        std::size_t operation;
    };
    constexpr ResultTypes kLong{"long long", "long long"}, kDouble{"double", "double"};
    constexpr Mix kMixes[] = {{"int", kLong, kSum},          {"int", kLong, kSumAbs},
                              {"int", kLong, kSumOfSquares}, {"int", kLong, kMaxAbs},
                              {"int", kLong, kMin},          {"float", kDouble, kSum},
                              {"float", kDouble, kMax},      {"float", kDouble, kNorm}};
    std::vector<std::string> expressions;
    for (const Mix& mix : kMixes) {
        const Corner& corner = kCorners[expressions.size() % std::size(kCorners)];
        expressions.push_back(
            expression(mix.element, mix.types, kOperations[mix.operation], "pairwise", corner));
    }
    const auto programs = load_all("reduce.host.cpp", expressions);
    ASSERT_EQ(programs.size(), std::size(kMixes));
    std::vector<std::int32_t> integers(100'003, std::numeric_limits<std::int32_t>::lowest());
    integers[7] = 3;
    const std::vector<float> floats(100'003, 0.1F);
    for (std::size_t i = 0; i < programs.size(); ++i) {
        SCOPED_TRACE(kOperations[kMixes[i].operation]);
        const char* const result = kMixes[i].types.result;
        const bool real = std::string_view(result) == "double";
        const Answers expected = real ? naive_answers(floats.data(), floats.size())
                                      : naive_answers(integers.data(), integers.size());
        const void* data = real ? static_cast<const void*>(floats.data()) : integers.data();
        expect_answer(launch(*programs[i], result, data, integers.size(), {2, 1}),
                      expected[kMixes[i].operation], result);
    }
}

TEST(ReduceHostKernelAccuracy, OfEachSummationIsWhatTheManualSays) {
    constexpr std::size_t kCount = (1 << 24) + 5;
    const std::vector<float> values(kCount, 0.1F);
    const double exact = static_cast<double>(0.1F) * static_cast<double>(kCount);
    const double unit = std::ldexp(exact, -24);
    const auto programs =
        load_all("reduce.host.cpp",
                 {expression("float", {"float", "float"}, "Sum", "pairwise", {1, 16}),
                  expression("float", {"float", "float"}, "Sum", "compensated", {1, 16})});
    ASSERT_EQ(programs.size(), 2U);
    for (const Threads& threads : kThreads) {
        const auto error = [&](const Program& program) {
            return std::abs(
                std::get<double>(launch(program, "float", values.data(), kCount, threads)) - exact);
        };
        EXPECT_LE(error(*programs[0]), (64 + 24) * unit);
        EXPECT_LE(error(*programs[1]), (2 + (threads.count > 1 ? 12 : 0)) * unit);
    }
}

TEST(ReduceHostKernelAccuracy, CompensatedSumsKeepWhatAPlainTotalRoundsAway) {
    const auto programs =
        load_all("reduce.host.cpp",
                 {expression("double", {"double", "double"}, "Sum", "compensated", {2, 16})});
    ASSERT_EQ(programs.size(), 1U);
    std::vector<double> values(512'000, 0);
    for (std::size_t i = 512; i + 512 < values.size(); i += 512) {
        values[i] = 1;
    }
    values.front() = std::ldexp(1.0, 60);
    values.back() = -std::ldexp(1.0, 60);
    EXPECT_EQ(
        std::get<double>(launch(*programs[0], "double", values.data(), values.size(), {1, 1})),
        998);
}

}  // namespace
}  // namespace jitune::internal
