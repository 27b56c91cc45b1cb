// SPDX-License-Identifier: Apache-2.0
#include "families/stencil/stencil_kernel.hpp"

#include <cstring>
#include <set>

#include "families/stencil/stencil_kernel.hpp"
#include "families/stencil/stencil_reference.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/stencil_case.hpp"

namespace jitune::internal {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
std::vector<T> values_of(const Bytes& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

/// What the oracle of stencil_case.hpp makes of a case's inputs, which must be exact in T.
template <class T>
std::vector<T> answer(const Case& one, Stencil stencil) {
    const auto pattern = values_of<T>(*one.arguments[0].pattern);
    std::vector<T> input;
    for (std::size_t i = 0; i < one.arguments[0].bytes / sizeof(T); ++i) {
        input.push_back(pattern[i % pattern.size()]);
    }
    const auto weights = values_of<T>(*one.arguments[1].pattern);
    const auto n = static_cast<std::int64_t>(input.size());
    const std::int64_t reach = stencil.boundary == Boundary::valid ? 0 : stencil.radius;
    std::vector<T> result;
    for (std::int64_t o = 0; o < stencil_outputs(n, stencil); ++o) {
        double sum = 0;
        for (std::int64_t j = 0; j <= 2 * stencil.radius; ++j) {
            const double weight =
                weights.size() == 1 ? 1 : static_cast<double>(weights[static_cast<std::size_t>(j)]);
            sum += weight * input_at(input, o + j - reach, stencil.boundary);
        }
        result.push_back(static_cast<T>(sum));
    }
    return result;
}

std::string judge(const Case& one, const void* data, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(data);
    const std::vector<Bytes> outputs{Bytes(first, first + bytes)};
    return one.judge(outputs);
}

Problem problem_of(const Stencil& stencil, std::int64_t n, std::size_t alignment = 16) {
    return stencil_problem({ElementType::float64, stencil, n}, alignment);
}

TEST(StencilWorkload, KnowsTheRightBitsAtAllBoundaries) {
    for (const Boundary boundary : kBoundaries) {
        const std::vector<double> weights(11, 1.0);
        for (const bool weighted : {false, true}) {
            Stencil stencil{.radius = 5, .boundary = boundary};
            stencil.weights =
                weighted ? std::span<const double>(weights) : std::span<const double>();
            for (const Case& one : StencilWorkload().checks(problem_of(stencil, 100))) {
                if (one.name.ends_with("special values")) {
                    continue;
                }
                auto right = answer<double>(one, stencil);
                const std::size_t bytes = right.size() * sizeof(double);
                ASSERT_EQ(one.arguments[2].bytes, bytes) << one.name;
                EXPECT_EQ(judge(one, right.data(), bytes), "") << one.name;
                for (const std::size_t place :
                     {std::size_t{0}, right.size() / 2, right.size() - 1}) {
                    auto wrong = right;
                    wrong[place] += 1;
                    EXPECT_NE(judge(one, wrong.data(), bytes), "") << one.name << " at " << place;
                }
            }
        }
    }
}

TEST(StencilWorkload, KnowsTheOutputsOfDataThatRepeats) {
    const std::int64_t n = 3'000'000;  // periods of the pattern
    const Stencil stencil{.radius = 2, .boundary = Boundary::wrap};
    const Case one = StencilWorkload().timed(problem_of(stencil, n));
    EXPECT_LT(one.arguments[0].pattern->size(), one.arguments[0].bytes);
    auto right = answer<double>(one, stencil);
    const std::size_t bytes = right.size() * sizeof(double);
    EXPECT_EQ(judge(one, right.data(), bytes), "");
    for (const std::size_t place : {1'048'573U, 2'500'000U}) {
        auto wrong = right;
        wrong[place] -= 1;
        EXPECT_NE(judge(one, wrong.data(), bytes), "") << place;
    }
}

TEST(StencilWorkload, TriesSizesAroundTheWindow) {
    std::set<std::int64_t> valid, wrapped;
    for (const Case& one : StencilWorkload().checks(problem_of({.radius = 4}, 100))) {
        valid.insert(one.sizes[0]);
    }
    const Stencil wrap{.radius = 4, .boundary = Boundary::wrap};
    for (const Case& one : StencilWorkload().checks(problem_of(wrap, 100))) {
        wrapped.insert(one.sizes[0]);
    }
    EXPECT_EQ(valid, (std::set<std::int64_t>{9, 10, 1031, 40'009}));
    EXPECT_EQ(wrapped, (std::set<std::int64_t>{1, 4, 8, 9, 10, 1031, 40'009}));
}

TEST(StencilWorkload, MisalignsTheDataOfAProblemThatIsMisaligned) {
    EXPECT_EQ(StencilWorkload().timed(problem_of({}, 100, 16)).arguments[0].offset, 0U);
    EXPECT_EQ(StencilWorkload().timed(problem_of({}, 100, 8)).arguments[0].offset, 8U);
}

TEST(StencilReference, LetsInfinitiesAndNaNReachTheirOwnOutputsOnly) {
    std::vector<float> input(20, 2.0F);
    input[6] = std::numeric_limits<float>::infinity();
    input[15] = std::numeric_limits<float>::quiet_NaN();
    const StencilReference<float> reference({.radius = 1}, {}, input, 20);
    std::vector<float> right(18, 6.0F);
    std::fill_n(right.begin() + 4, 3, input[6]);
    std::fill_n(right.begin() + 13, 3, -input[15]);  // any NaN will do
    EXPECT_EQ(reference.compare(right.data()), "");
    right[7] = input[15];
    EXPECT_EQ(reference.compare(right.data()), "output 7 is nan, expected 6");
}

TEST(StencilKernel, IsRebuiltFromItsSpec) {
    const std::vector<std::string> spec = stencil_kernel(PlatformKind::cuda).spec;
    EXPECT_EQ(stencil_kernel_of(spec).kernel_template.hash(),
              stencil_kernel(PlatformKind::cuda).kernel_template.hash());
    expect_error(ErrorKind::usage, "malformed worker spec",
                 [] { stencil_kernel_of(std::vector<std::string>{"stencil"}); });
}

}  // namespace
}  // namespace jitune::internal
