// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <span>

#include "fixtures/reduce_host_kernels.hpp"

namespace jitune::internal {
namespace {

using namespace host_kernels;

constexpr int kThreads[] = {1, 3, 7};
constexpr const char* kFoldArguments[] = {"jitune::Summation::pairwise, 1, 64",
                                          "jitune::Summation::pairwise, 4, 32",
                                          "jitune::Summation::pairwise, 8, 16"};
constexpr const char* kColumnsArguments[] = {"512, 64", "2048, 32", "8192, 16"};

struct Shape {
    std::size_t rows, columns;
};
constexpr Shape kShapes[] = {{1, 1},      {1, 40'000}, {2, 30'001}, {3, 33},  {1000, 1},
                             {20'003, 3}, {5000, 17},  {129, 64},   {65, 65}, {300, 513},
                             {64, 4100},  {17, 9000},  {3, 20'000}};

using ElementTypes =
    testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, Half, Bfloat, float, double>;

/// Of a type among them.
template <class T, class Types = ElementTypes>
inline constexpr std::size_t kPlace = 0;
template <class T, class First, class... Rest>
inline constexpr std::size_t kPlace<T, testing::Types<First, Rest...>> =
    std::is_same_v<T, First> ? 0 : 1 + kPlace<T, testing::Types<Rest...>>;

/// Each type with a quarter of the operations, each operation with three types of which one is of
/// floats.
template <class T>
class ReduceHostShapes : public testing::Test {
protected:
    struct Kernel {
        std::size_t operation;  // its place in kOperations
        const char* result;
        std::shared_ptr<const Program> program;
    };

    static std::vector<Kernel> kernels(const std::string& name,
                                       std::span<const char* const> arguments) {
        std::vector<Kernel> kernels;
        std::vector<std::string> expressions;
        for (std::size_t i = kPlace<T> % 4; i < std::size(kOperations); i += 4) {
            const ResultTypes types = types_of<T>(kOperations[i]);
            kernels.push_back({i, types.result, nullptr});
            expressions.push_back(fmt::format("jitune::{}<{}, {}, {}, jitune::{}, {}>", name,
                                              kText<T>, types.accumulator, types.result,
                                              kOperations[i], arguments[i / 4 % arguments.size()]));
        }
        const auto programs = load_all(name + ".host.cpp", expressions);
        for (std::size_t i = 0; i < programs.size(); ++i) {
            kernels[i].program = programs[i];
        }
        return programs.empty() ? std::vector<Kernel>{} : kernels;
    }

    /// Products of random floats depend on their order.
    template <class Check>
    static void for_each(const std::vector<Kernel>& kernels, Check check) {
        for (const Kernel& kernel : kernels) {
            for (const int threads : kThreads) {
                SCOPED_TRACE(fmt::format("{} of {} threads={}", kOperations[kernel.operation],
                                         kText<T>, threads));
                if (!kFloats<T> || kernel.operation != kProduct) {
                    check(kernel, threads);
                }
            }
        }
    }

    /// Compares the results, which lie behind each other in `memory`, with `answers`.
    static void expect_all(const std::string& memory, const std::vector<Answers>& answers,
                           const Kernel& kernel) {
        const std::size_t bytes = bytes_of_text(kernel.result);
        for (std::size_t i = 0; i < answers.size() && !testing::Test::HasFailure(); ++i) {
            SCOPED_TRACE(fmt::format("result {}", i));
            expect_answer(read_answer(memory.data() + i * bytes, kernel.result),
                          answers[i][kernel.operation], kernel.result);
        }
    }

    /// Results that hold anything but an answer.
    static std::string results(std::size_t count) { return std::string(count * 8, '\x5a'); }
};

TYPED_TEST_SUITE(ReduceHostShapes, ElementTypes);

TYPED_TEST(ReduceHostShapes, ReducesEachRow) {
    const auto kernels = this->kernels("reduce_rows", kFoldArguments);
    for (const auto& [rows, columns] : kShapes) {
        const auto values = random_elements<TypeParam>(rows * columns + 1);
        const TypeParam* data = values.data() + rows % 2;
        std::vector<Answers> answers;
        for (std::size_t row = 0; row < rows; ++row) {
            answers.push_back(naive_answers(data + row * columns, columns));
        }
        this->for_each(kernels, [&](const auto& kernel, int threads) {
            SCOPED_TRACE(fmt::format("{} rows of {}", rows, columns));
            std::string memory = this->results(rows);
            kernel.program->launch(launch_with(data, std::uint64_t{rows}, std::uint64_t{columns},
                                               threads, memory.data()),
                                   nullptr);
            this->expect_all(memory, answers, kernel);
        });
    }
}

TYPED_TEST(ReduceHostShapes, ReducesEachColumn) {
    constexpr std::size_t kMostStripBytes = 8192;
    const auto kernels = this->kernels("reduce_columns", kColumnsArguments);
    for (const auto& [columns, rows] : kShapes) {
        const auto values = random_elements<TypeParam>(rows * columns + 1);
        const TypeParam* data = values.data() + rows % 2;
        std::vector<Answers> answers;
        for (std::size_t column = 0; column < columns; ++column) {
            answers.push_back(naive_answers(data + column, rows, columns));
        }
        this->for_each(kernels, [&](const auto& kernel, int threads) {
            SCOPED_TRACE(fmt::format("{} columns of {}", columns, rows));
            std::string memory = this->results(columns);
            std::vector<std::uint64_t> states(4 * static_cast<std::size_t>(threads) *
                                              kMostStripBytes / sizeof(TypeParam));
            kernel.program->launch(launch_with(data, std::uint64_t{rows}, std::uint64_t{columns},
                                               threads, states.data(), memory.data()),
                                   nullptr);
            this->expect_all(memory, answers, kernel);
        });
    }
}

/// Segments of the lengths that come round.
std::vector<std::int64_t> offsets_of(std::size_t segments, std::span<const std::int64_t> lengths) {
    std::vector<std::int64_t> offsets{0};
    for (std::size_t i = 0; i < segments; ++i) {
        offsets.push_back(offsets.back() + lengths[i % lengths.size()]);
    }
    return offsets;
}

TYPED_TEST(ReduceHostShapes, ReducesEachSegment) {
    constexpr std::int64_t kRagged[] = {1, 7, 33, 64, 1000, 2, 65};
    constexpr std::int64_t kHuge[] = {3, 50'000, 1, 5};
    constexpr std::int64_t kTiny[] = {1, 2, 3};
    const std::vector<std::int64_t> all_offsets[] = {offsets_of(1, kHuge), offsets_of(7, kHuge),
                                                     offsets_of(700, kRagged),
                                                     offsets_of(20'000, kTiny)};
    const auto kernels = this->kernels("reduce_segments", kFoldArguments);
    for (const auto& offsets : all_offsets) {
        const auto values = random_elements<TypeParam>(static_cast<std::size_t>(offsets.back()));
        const std::size_t segments = offsets.size() - 1;
        std::vector<Answers> answers;
        for (std::size_t i = 0; i < segments; ++i) {
            answers.push_back(naive_answers(values.data() + offsets[i],
                                            static_cast<std::size_t>(offsets[i + 1] - offsets[i])));
        }
        this->for_each(kernels, [&](const auto& kernel, int threads) {
            SCOPED_TRACE(fmt::format("{} segments", segments));
            std::string memory = this->results(segments);
            kernel.program->launch(launch_with(values.data(), offsets.data(),
                                               std::uint64_t{segments}, threads, memory.data()),
                                   nullptr);
            this->expect_all(memory, answers, kernel);
        });
    }
}

TEST(ReduceHostSegments, AnEmptySegmentHasTheIdentity) {
    const auto programs = load_all(
        "reduce_segments.host.cpp",
        {"jitune::reduce_segments<int, int, int, jitune::Min, jitune::Summation::pairwise, 4, 32>",
         "jitune::reduce_segments<float, float, long long, jitune::ArgMax, "
         "jitune::Summation::pairwise, 4, 32>",
         "jitune::reduce_segments<float, float, float, jitune::Mean, jitune::Summation::pairwise, "
         "4, 32>"});
    ASSERT_EQ(programs.size(), 3U);
    // Every second of very many segments is empty, as are the first and the last.
    constexpr std::int64_t kLengths[] = {0, 0, 3};
    const auto offsets = offsets_of(100'000, kLengths);
    const std::vector<std::int32_t> values(static_cast<std::size_t>(offsets.back()), 0);
    std::vector<std::int32_t> low(100'000);
    std::vector<std::int64_t> places(100'000);
    std::vector<float> means(100'000);
    for (const int threads : kThreads) {
        const auto run = [&](const Program& program, auto& results) {
            program.launch(launch_with(values.data(), offsets.data(), std::uint64_t{100'000},
                                       threads, results.data()),
                           nullptr);
        };
        run(*programs[0], low);
        run(*programs[1], places);
        run(*programs[2], means);
        for (std::size_t i = 0; i < low.size(); ++i) {
            const bool empty = i % 3 != 2;
            ASSERT_EQ(low[i], empty ? std::numeric_limits<std::int32_t>::max() : 0) << i;
            ASSERT_EQ(places[i], empty ? -1 : 0) << i;
            ASSERT_EQ(std::isnan(means[i]), empty) << i;
        }
    }
}

}  // namespace
}  // namespace jitune::internal
