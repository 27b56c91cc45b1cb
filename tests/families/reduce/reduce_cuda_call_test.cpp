// SPDX-License-Identifier: Apache-2.0
// The public functions over a fake driver: what they answer, capture and refuse.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"
#include "fixtures/reduce_cuda_app.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

using reduce_cuda::App;
using reduce_cuda::exhaustive;
using reduce_cuda::kLaunchNs;
using reduce_cuda::options_for;
using reduce_cuda::run_reduce_slowly;
using reduce_cuda::Value;

TEST(ReduceCuda, SumsAtEveryAlignment) {
    App app(options_for(TunePolicy::template_default));
    const std::vector<float> ones(300'004, 1);
    for (const std::size_t n : {1U, 5U, 4'099U, 300'001U}) {
        for (std::size_t offset = 0; offset < 4; ++offset) {
            EXPECT_EQ(tuned_reduce(ones.data() + offset, n, ReduceOp::sum, nullptr, app.session()),
                      static_cast<float>(n));
        }
    }
}

TEST(ReduceCuda, SumsInTwoLaunches) {
    App app(exhaustive());
    app.compile_only("two_launches");
    EXPECT_EQ(app.reduce(), app.right());
    EXPECT_EQ(app.reduce_async(), app.right());
    EXPECT_NE(app.prepare().info().configuration.find("finish=two_launches"), std::string::npos);
    EXPECT_TRUE(app.fake.launches().back().expression.starts_with("jitune::reduce_partials"));
}

TEST(ReduceCuda, AnswersFromTheDatabaseWithoutNvrtc) {
    const TempDir directory;
    Options options = exhaustive();
    options.database = directory.path() / "tuning.db";
    {
        App app(options);
        app.compile_only(", 16, 16,");
        EXPECT_EQ(app.reduce(), app.right());
        EXPECT_EQ(app.prepare().info().origin, Origin::tuned);
        EXPECT_GT(app.nvrtc_calls(), 0);
    }
    App app(options);
    EXPECT_EQ(app.reduce(), app.right());
    EXPECT_EQ(app.prepare().info().origin, Origin::stored);
    EXPECT_EQ(app.nvrtc_calls(), 0);
    EXPECT_EQ(app.session().counters().compiles, 0);
    EXPECT_EQ(app.session().counters().tunings, 0);
}

TEST(ReduceCuda, AnswersByTheDefaultOfAnEarlierSessionWithoutNvrtc) {
    const TempDir directory;
    const Options options =
        options_for(TunePolicy::template_default, directory.path() / "tuning.db");
    for (const std::int64_t compiles : {1, 0}) {
        App app(options);
        EXPECT_EQ(app.reduce(), app.right());
        EXPECT_EQ(app.prepare().info().origin, Origin::rule);
        EXPECT_EQ(app.session().counters().compiles, compiles);
        EXPECT_EQ(app.nvrtc_calls() > 0, compiles > 0);
    }
}

class ReduceCudaCapture : public ::testing::Test {
protected:
    /// Expects the refusal of the asynchronous form, and a capture that goes on.
    void expect_refusal() {
        app.fake.begin_capture(app.stream());
        expect_error(ErrorKind::not_prepared, "prepare", [&] { app.reduce_async(); });
        EXPECT_TRUE(app.fake.end_capture(app.stream()));
        EXPECT_TRUE(app.fake.captured().empty());
    }

    App app{options_for(TunePolicy::now), 1};
};

TEST_F(ReduceCudaCapture, RefusesAFirstCall) {
    expect_refusal();
    for (const char* slow : {"cuMemAlloc", "cuLibraryLoadData", "cuStreamCreate"}) {
        EXPECT_EQ(app.fake.calls(slow), 0) << slow;
    }
    EXPECT_EQ(app.nvrtc_calls(), 0);
    EXPECT_EQ(app.reduce_async(), app.right());
}

TEST_F(ReduceCudaCapture, RefusesACallThatWouldOnlyAllocate) {
    EXPECT_EQ(app.reduce(), app.right());
    expect_refusal();
    const std::set<std::string> questions{"cuStreamIsCapturing", "cuStreamGetCtx",
                                          "cuCtxPushCurrent", "cuCtxGetDevice", "cuCtxPopCurrent"};
    for (const std::string& call : app.fake.calls_during_capture()) {
        EXPECT_TRUE(questions.contains(call)) << call;
    }
}

TEST_F(ReduceCudaCapture, TakesAPreparedCallThatIsReplayed) {
    const auto prepared = app.prepare();
    Value result = -1;
    app.fake.begin_capture(app.stream());
    prepared(app.values(), &result, app.stream());
    EXPECT_TRUE(app.fake.end_capture(app.stream()));
    EXPECT_EQ(app.fake.calls_during_capture(), (std::vector<std::string>{"cuLaunchKernelEx"}));
    for (int replay = 0; replay < 2; ++replay) {
        result = -1;
        for (const FakeLaunch& launch : app.fake.captured()) {
            EXPECT_EQ(run_reduce(launch), CUDA_SUCCESS);
        }
        EXPECT_EQ(result, app.right());
    }
}

/// Wrong in another way with each block size but the largest, which takes the longest.
CUresult run_reduce_with_flaws(FakeLaunch& launch) {
    const bool partials = launch.expression.starts_with("jitune::reduce_partials");
    const std::vector<std::uint64_t> given = launch.arguments;
    if (!partials && launch.block.x == 128) {  // forgets the last of an odd number of elements
        launch.arguments[1] -= given[1] % 2;
    } else if (!partials && launch.block.x == 256) {  // starts at an aligned address
        launch.arguments[0] -= given[0] % 16;
    }
    const CUresult result = run_reduce(launch);
    if (!partials && launch.block.x == 512 &&
        launch.expression.find("ticket") == std::string::npos) {
        *reinterpret_cast<unsigned*>(given[3]) = 1;  // leaves a ticket
    } else if (launch.block.x == 512) {              // writes behind its result
        reinterpret_cast<Value*>(given.back())[1] = 0;
    }
    launch.nanoseconds = kLaunchNs * (launch.block.x == 1024 ? 2 : 1);
    return result;
}

TEST(ReduceCuda, NeverDispatchesAWrongKernelHoweverFast) {
    App app(exhaustive());
    app.compile_only(", 16, 16,");
    app.fake.on_launch = run_reduce_with_flaws;
    EXPECT_EQ(app.reduce(), app.right());
    EXPECT_TRUE(app.prepare().info().configuration.starts_with("block=1024 "));
}

TEST(ReduceCuda, IsAnErrorIfEveryKernelIsWrong) {
    App app(exhaustive());
    app.compile_only(", 16, 16,");
    app.fake.on_launch = [](FakeLaunch&) { return CUDA_SUCCESS; };  // writes nothing
    expect_error(ErrorKind::verify, "wrong_result", [&] { app.reduce(); });
    expect_error(ErrorKind::verify, "wrong_result", [&] { app.reduce_async(); });
    app.fake.on_launch = run_reduce_slowly;
    EXPECT_EQ(app.reduce(), app.right());
}

TEST(ReduceCuda, SaysWithEveryCallThatACandidateTookTheDeviceDown) {
    App app(exhaustive());
    app.compile_only(", 16, 16,");
    app.fake.on_launch = [](FakeLaunch& launch) {
        return launch.block.x == 512 ? CUDA_ERROR_ILLEGAL_ADDRESS : run_reduce_slowly(launch);
    };
    expect_error(ErrorKind::device, "took the device down", [&] { app.reduce(); });
    const char* const later = "the CUDA context is lost";
    expect_error(ErrorKind::device, later, [&] { app.reduce(); });
    expect_error(ErrorKind::device, later, [&] { app.reduce_async(); });
    expect_error(ErrorKind::device, later, [&] { app.prepare(); });
}

}  // namespace
}  // namespace jitune::internal
