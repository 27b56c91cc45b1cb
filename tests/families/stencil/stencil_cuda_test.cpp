// SPDX-License-Identifier: Apache-2.0
// tuned_stencil() of device memory on the fake driver: what a launch is given, and when.

#include <array>
#include <bit>
#include <set>

#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "fake/fake_cuda.hpp"
#include "families/families.hpp"
#include "fixtures/expect_error.hpp"
#include "jitune/stencil.hpp"

namespace jitune::internal {
namespace {

class StencilCuda : public testing::Test {
protected:
    StencilCuda() {
        fake_.make_current(fake_.primary_context(0));
        fake_.on_launch = [this](FakeLaunch& launch) {
            last_ = launch;
            ++launches_;
            return CUDA_SUCCESS;
        };
        Options options;
        options.database.clear();
        options.log_level = LogLevel::off;
        options.on_miss = TunePolicy::template_default;
        std::vector<std::unique_ptr<Platform>> platforms;
        platforms.push_back(make_cuda_platform(fake_.tables(), Log(LogLevel::off)));
        session_ = SessionAccess::make(
            std::make_unique<Engine>(options, std::move(platforms), families()));
    }

    void call(std::int64_t n, const Stencil& stencil, std::size_t offset = 0,
              CUstream stream = nullptr) {
        tuned_stencil(input_.data() + offset, n, output_.data(), stencil, stream, *session_);
    }

    FakeCuda fake_;
    FakeLaunch last_;
    int launches_ = 0;
    std::unique_ptr<Session> session_;
    alignas(16) std::array<double, 100> input_{}, output_{};
};

TEST_F(StencilCuda, PassesWeightsByValueWithEachCall) {
    const std::array first{0.25, 0.5, 0.25};
    const std::array second{-3.0, 0.0, 7.0};
    call(100, {.weights = first});
    EXPECT_EQ(last_.arguments.at(0), reinterpret_cast<std::uintptr_t>(input_.data()));
    EXPECT_EQ(std::bit_cast<double>(last_.arguments.at(1)), 0.25);
    EXPECT_EQ(last_.arguments.at(2), 100U);
    EXPECT_EQ(last_.arguments.at(3), reinterpret_cast<std::uintptr_t>(output_.data()));
    const auto compiles = session_->counters().compiles;
    call(100, {.weights = second});
    EXPECT_EQ(std::bit_cast<double>(last_.arguments.at(1)), -3.0);
    EXPECT_EQ(session_->counters().compiles, compiles);
}

TEST_F(StencilCuda, TellsProblemsApart) {
    std::set<std::string> kernels;
    const auto seen = [&](const Stencil& stencil) {
        call(90, stencil);
        kernels.insert(last_.expression);
    };
    seen({});
    seen({.mean = true});
    seen({.radius = 2});
    seen({.boundary = Boundary::zero});
    seen({});
    EXPECT_EQ(kernels.size(), 4U);
    EXPECT_EQ(launches_, 5);
}

TEST_F(StencilCuda, LaunchesNothingForNoOutputs) {
    call(0, {.boundary = Boundary::wrap});
    call(64, {.radius = 32});
    tuned_stencil<float>(nullptr, 0, nullptr, {}, nullptr, *session_);
    EXPECT_EQ(launches_, 0);
}

TEST_F(StencilCuda, IsCapturedOnceItsProblemHasAnAnswer) {
    CUstream stream = fake_.make_stream();
    fake_.begin_capture(stream);
    expect_error(ErrorKind::not_prepared, "tuned_stencil", [&] { call(100, {}, 0, stream); });
    EXPECT_TRUE(fake_.end_capture(stream));
    call(100, {}, 0, stream);
    fake_.begin_capture(stream);
    call(100, {}, 0, stream);
    EXPECT_TRUE(fake_.end_capture(stream));
    EXPECT_EQ(fake_.captured().size(), 1U);
}

TEST_F(StencilCuda, APreparedHandleKeepsItsWeightsAndIsCaptured) {
    std::array weights{0.25, 0.5, 0.25};
    const auto prepared = prepare_stencil<double>(100, {.weights = weights}, {}, *session_);
    EXPECT_EQ(prepared.info().origin, Origin::rule);
    EXPECT_FALSE(prepared.info().configuration.empty());
    weights.fill(7);  // the handle has a copy
    prepared(input_.data(), output_.data());
    EXPECT_EQ(std::bit_cast<double>(last_.arguments.at(1)), 0.25);
    EXPECT_EQ(last_.arguments.at(2), 100U);
    CUstream stream = fake_.make_stream();
    fake_.begin_capture(stream);
    prepared(input_.data(), output_.data(), stream);
    EXPECT_TRUE(fake_.end_capture(stream));
    EXPECT_EQ(fake_.captured().size(), 1U);
}

TEST_F(StencilCuda, APreparedHandleRefusesBadPointersAndLaunchesNothingForNoOutputs) {
    const auto prepared = prepare_stencil<double>(98, {}, "cuda:0", *session_);
    expect_error(ErrorKind::usage, "aligned to 16 bytes",
                 [&] { prepared(input_.data() + 1, output_.data()); });
    expect_error(ErrorKind::usage, "null pointer", [&] { prepared(nullptr, output_.data()); });
    expect_error(ErrorKind::usage, "overlaps", [&] { prepared(input_.data(), input_.data() + 2); });
    EXPECT_EQ(launches_, 0);
    const auto nothing = prepare_stencil<float>(2, {}, {}, *session_);
    nothing(nullptr, nullptr);
    EXPECT_EQ(launches_, 0);
    EXPECT_EQ(nothing.info().device, "cuda:0");
    expect_error(ErrorKind::usage, "radius 33",
                 [&] { return prepare_stencil<float>(100, {.radius = 33}, {}, *session_); });
}

}  // namespace
}  // namespace jitune::internal
