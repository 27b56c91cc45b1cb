// SPDX-License-Identifier: Apache-2.0
// tuned_stencil() on the machine itself: compiles and runs for real.

#include <array>
#include <limits>

#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "families/stencil/stencil_kernel.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/stencil_case.hpp"

namespace jitune::internal {
namespace {

Options options_with(TunePolicy policy) {
    Options options;
    options.database.clear();
    options.on_miss = policy;
    options.budget = std::chrono::milliseconds(300);
    options.log_level = LogLevel::error;
    return options;
}

class StencilHost : public testing::Test {
protected:
    /// Of sizes around the radius and beyond one strip. Their buckets share few kernels.
    template <class T>
    void expect_right(const Stencil& stencil) {
        const std::int64_t k = stencil.radius;
        for (const std::int64_t n : {std::int64_t{1}, k, 2 * k, 2 * k + 1, 2 * k + 2, k + 131,
                                     std::int64_t{1031}, std::int64_t{40'009}}) {
            const std::vector<T> input = stencil_inputs<T>(n);
            EXPECT_EQ(judge_stencil(input, stencil, tuned_stencil(input, stencil, session_)), "")
                << to_string(kElementType<T>) << " " << stencil_text(stencil, n);
        }
    }

    Session session_{options_with(TunePolicy::template_default)};
};

TEST_F(StencilHost, IsRightAtAllBoundariesAndSizes) {
    expect_right<float>({.radius = 1, .boundary = Boundary::valid});
    expect_right<double>({.radius = 25, .mean = true, .boundary = Boundary::wrap});
    expect_right<std::int32_t>({.radius = 3, .mean = true, .boundary = Boundary::clamp});
    expect_right<std::int32_t>({.radius = 32, .boundary = Boundary::zero});
}

TEST_F(StencilHost, WritesToMemoryOfTheCallersOwn) {
    const std::vector<double> input{1, 2, 3, 4, 5};
    std::array<double, 3> output{};
    tuned_stencil(input, output, {}, session_);
    EXPECT_EQ(output, (std::array<double, 3>{6, 9, 12}));
    expect_error(ErrorKind::usage, "has 2 elements, but there are 3",
                 [&] { tuned_stencil(input, std::span(output).first(2), {}, session_); });
}

TEST_F(StencilHost, WeighsTheNeighbours) {
    const auto reals = stencil_weights<float>(8);
    expect_right<float>({.radius = 8, .weights = reals, .boundary = Boundary::clamp});
    const auto integers = stencil_weights<std::int32_t>(2);
    expect_right<std::int32_t>({.radius = 2, .weights = integers, .boundary = Boundary::wrap});
}

TEST_F(StencilHost, TakesOtherWeightsWithoutAnotherCompile) {
    const std::vector<double> input{1, 2, 3, 4, 5};
    const std::array first{1.0, 0.0, 0.0};
    const std::array second{0.0, 0.0, 10.0};
    EXPECT_EQ(tuned_stencil(input, {.weights = first}, session_), (std::vector<double>{1, 2, 3}));
    const auto compiles = session_.counters().compiles;
    EXPECT_EQ(tuned_stencil(input, {.weights = second}, session_),
              (std::vector<double>{30, 40, 50}));
    EXPECT_EQ(session_.counters().compiles, compiles);
}

TEST_F(StencilHost, DividesTheExactSumOfIntegersTowardsZero) {
    constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
    const std::vector<std::int32_t> input{kMost, kMost, kMost, -1, -1, 0};
    EXPECT_EQ(tuned_stencil(input, {.mean = true}, session_),
              (std::vector<std::int32_t>{kMost, 1431655764, 715827881, 0}));
}

TEST_F(StencilHost, KeepsInfinitiesAndNaNToTheOutputsThatReadThem) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    std::vector<float> input(3000, 1.0F);
    input[1000] = kInfinity;
    input[2000] = std::numeric_limits<float>::quiet_NaN();
    const auto output = tuned_stencil(input, {.radius = 4, .boundary = Boundary::clamp}, session_);
    for (int o = 0; o < 3000; ++o) {
        const float got = output[static_cast<std::size_t>(o)];
        if (std::abs(o - 1000) <= 4) {
            EXPECT_EQ(got, kInfinity) << o;
        } else if (std::abs(o - 2000) <= 4) {
            EXPECT_TRUE(std::isnan(got)) << o;
        } else {
            EXPECT_EQ(got, 9.0F) << o;
        }
    }
}

TEST_F(StencilHost, CompilesNothingForNoOutputs) {
    const std::vector<float> four(4);
    EXPECT_TRUE(tuned_stencil(four, {.radius = 2}, session_).empty());
    EXPECT_TRUE(
        tuned_stencil(std::vector<double>{}, {.boundary = Boundary::wrap}, session_).empty());
    EXPECT_EQ(session_.counters().compiles, 0);
}

TEST_F(StencilHost, RefusesInvalidStencils) {
    const std::vector<float> reals(100);
    const std::vector<std::int32_t> integers(100);
    const auto refused = [&](const std::string& text, const auto& input, const Stencil& stencil) {
        expect_error(ErrorKind::usage, text,
                     [&] { return tuned_stencil(input, stencil, session_); });
    };
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::array<double, 3> halves{0.5, 0.5, 0.5}, endless{1, kInfinity, 1}, huge{1, 1e39, 1},
        wide{1, 0x1p31, 1};
    refused("radius 0: must be from 1 to 32", reals, {.radius = 0});
    refused("radius 33", reals, {.radius = 33});
    refused("radius -1", reals, {.radius = -1});
    refused("3 weights: radius 2 takes 5", reals, {.radius = 2, .weights = halves});
    refused("mean and weights", reals, {.weights = halves, .mean = true});
    refused("weight 0.5 must be a value of int32", integers, {.weights = halves});
    refused("weight 2147483648 must be a value of int32", integers, {.weights = wide});
    refused("weight inf must be ", reals, {.weights = endless});
    refused("weight 1e+39 must be ", reals, {.weights = huge});
    refused("9 is not a boundary", reals, {.boundary = static_cast<Boundary>(9)});
}

TEST_F(StencilHost, RefusesBadPointers) {
    std::array<float, 100> data{};
    std::array<float, 100> other{};
    const auto refused = [&](const std::string& text, const void* input, std::int64_t n,
                             void* output) {
        expect_error(ErrorKind::usage, text, [&] {
            detail::stencil_host(session_, {ElementType::float32, {}, n}, input, output);
        });
    };
    refused("the input is a null pointer", nullptr, 9, data.data());
    refused("the output is a null pointer", data.data(), 9, nullptr);
    refused("the output overlaps the input", data.data(), 50, data.data() + 49);
    refused("the output overlaps the input", data.data() + 47, 50, data.data());
    refused("not aligned to 4 bytes", reinterpret_cast<std::byte*>(data.data()) + 2, 9,
            other.data());
    refused("n = -1: must be from 0", data.data(), -1, other.data());
    refused("must be from 0 to 2^40", data.data(), (std::int64_t{1} << 40) + 1, other.data());
    EXPECT_NO_THROW(detail::stencil_host(session_, {ElementType::float32, {}, 50}, data.data(),
                                         data.data() + 50));
    EXPECT_NO_THROW(
        detail::stencil_host(session_, {ElementType::float32, {}, 0}, nullptr, nullptr));
}

TEST(StencilHostTuning, EveryCandidateIsRightAndTheWinnerAnswers) {
    Session session(options_with(TunePolicy::now));
    Device& host = SessionAccess::engine(session).device("host");
    for (const auto& [element, radius] :
         {std::pair{ElementType::float32, 8}, std::pair{ElementType::int32, 2}}) {
        const Problem problem = stencil_problem(
            {element, {.radius = radius, .mean = true, .boundary = Boundary::wrap}, 20'000}, 16);
        const TuneReport report = SessionAccess::engine(session).tuner().tune(
            {host, stencil_kernel(PlatformKind::host), problem},
            {.strategy = "exhaustive", .max_evaluations = 8});
        for (const Measurement& one : report.measurements) {
            EXPECT_EQ(one.verdict, Verdict::timed) << one.configuration;
        }
    }
    const std::vector<float> input = stencil_inputs<float>(5000);
    const Stencil stencil{.radius = 5, .boundary = Boundary::zero};
    EXPECT_EQ(judge_stencil(input, stencil, tuned_stencil(input, stencil, session)), "");
}

}  // namespace
}  // namespace jitune::internal
