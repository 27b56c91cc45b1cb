// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include <gtest/gtest.h>

#include "fake/fake_cuda_fixture.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

class CudaPlatform : public FakeCudaFixture {};
class CudaContext : public FakeCudaFixture {};
class CudaCapture : public FakeCudaFixture {
protected:
    void begin() { fake.begin_capture(stream()); }
    bool still_alive() { return fake.end_capture(stream()); }
};

TEST_F(CudaPlatform, TouchesNothingBeforeItIsAskedForDevices) {
    EXPECT_EQ(platform->kind(), PlatformKind::cuda);
    EXPECT_EQ(fake.total_calls(), 0);
    EXPECT_EQ(platform->device_count(), 2);
    EXPECT_EQ(platform->missing(), "");
    EXPECT_EQ(fake.calls("cuInit"), 1);
    EXPECT_EQ(fake.calls("cuDevicePrimaryCtxRetain"), 0);
}

TEST_F(CudaPlatform, OpensADeviceOnceForManyThreads) {
    std::vector<Device*> seen(64);
    std::vector<std::thread> threads;
    for (auto& place : seen) {
        threads.emplace_back([&] { place = &platform->device(1); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), seen[0]), 64);
    EXPECT_EQ(seen[0]->info().id, "cuda:1");
    EXPECT_EQ(fake.calls("cuInit"), 1);
    EXPECT_EQ(fake.calls("cuDeviceGetName"), 1);
}

TEST_F(CudaPlatform, HasNoDeviceBeyondTheLast) {
    for (const int ordinal : {-1, 2, 1000}) {
        expect_error(ErrorKind::unavailable, [&] { platform->device(ordinal); });
    }
}

TEST_F(CudaPlatform, SaysInOneLineWhatIsMissing) {
    fake.fail("cuInit", 1, CUDA_ERROR_NO_DEVICE);
    EXPECT_EQ(platform->device_count(), 0);
    EXPECT_EQ(platform->missing(),
              "look for CUDA devices: cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is "
              "detected)");
    expect_error(ErrorKind::unavailable, [&] { platform->site(nullptr); });
}

TEST_F(CudaPlatform, DoesWithoutADriver) {
    CudaTables tables = fake.tables();
    tables.driver = []() -> std::shared_ptr<const DriverTable> {
        throw Error(ErrorKind::unavailable, "libcuda.so.1 not found:\nno NVIDIA driver");
    };
    const auto none = make_cuda_platform(tables, Log(LogLevel::off));
    EXPECT_EQ(none->device_count(), 0);
    EXPECT_EQ(none->missing(), "libcuda.so.1 not found: no NVIDIA driver");
    expect_error(ErrorKind::unavailable, [&] { none->device(0); });
    const std::string message = expect_error(ErrorKind::unavailable, [&] { none->site(nullptr); });
    EXPECT_NE(message.find("no NVIDIA driver"), std::string::npos) << message;
}

TEST_F(CudaPlatform, FindsTheDeviceOfTheCurrentContext) {
    EXPECT_EQ(&platform->site(nullptr).device(), &platform->device(0));
    fake.make_current(fake.make_context(1));
    EXPECT_EQ(&platform->site(nullptr).device(), &platform->device(1));
    fake.make_current(nullptr);
}

TEST_F(CudaPlatform, FindsTheDeviceOfAStreamWhateverIsCurrent) {
    fake.make_current(fake.make_context(1));
    const CUstream other = fake.make_stream();
    for (const CUcontext current : {fake.primary_context(0), CUcontext{}}) {
        fake.make_current(current);
        EXPECT_EQ(&platform->site(other).device(), &platform->device(1));
        EXPECT_EQ(fake.current(), current);
    }
}

TEST_F(CudaPlatform, TellsTheDefaultStreamsOfContextsApart) {
    fake.make_current(fake.primary_context(0));
    StreamSite& first = platform->site(nullptr);
    fake.make_current(fake.make_context(0));
    EXPECT_NE(&platform->site(nullptr), &first);
    fake.make_current(fake.primary_context(0));
    EXPECT_EQ(&platform->site(nullptr), &first);
    EXPECT_EQ(&platform->site(CU_STREAM_LEGACY), &first);
    fake.make_current(nullptr);
}

TEST_F(CudaPlatform, FindsAKnownStreamWithTwoDriverCalls) {
    StreamSite& first = platform->site(stream());
    const int before = fake.total_calls();
    EXPECT_EQ(&platform->site(stream()), &first);
    EXPECT_EQ(fake.total_calls() - before, 2) << "capture status and number alone";
}

TEST_F(CudaPlatform, RemembersNoSiteThatItCouldNotMake) {
    for (const char* call : {"cuStreamGetCtx", "cuCtxPushCurrent", "cuCtxGetDevice"}) {
        const CUstream mine = stream();
        restart();
        fake.fail(call, 1, CUDA_ERROR_UNKNOWN);
        const std::string message = expect_error(ErrorKind::device, [&] { platform->site(mine); });
        EXPECT_NE(message.find(call), std::string::npos) << message;
        EXPECT_EQ(&platform->site(mine).device(), &device());
    }
}

TEST_F(CudaContext, UsesThePrimaryOneWhereNoneIsCurrent) {
    EXPECT_EQ(double_on_the_device({4}), std::vector<float>{8});
    EXPECT_EQ(fake.calls("cuDevicePrimaryCtxRetain"), 1);
    EXPECT_EQ(fake.current(), nullptr);
}

TEST_F(CudaContext, UsesTheCallersOwnAndRetainsNoOther) {
    const CUcontext mine = fake.make_context(0);
    fake.make_current(mine);
    EXPECT_EQ(double_on_the_device({4}), std::vector<float>{8});
    EXPECT_EQ(fake.calls("cuDevicePrimaryCtxRetain"), 0);
    EXPECT_EQ(fake.calls("cuCtxPushCurrent"), 0);
    EXPECT_EQ(fake.current(), mine);
    fake.make_current(nullptr);
}

TEST_F(CudaContext, PutsTheOneOfAnotherDeviceBack) {
    const CUcontext other = fake.make_context(1);
    fake.make_current(other);
    EXPECT_EQ(double_on_the_device({4}), std::vector<float>{8});
    EXPECT_EQ(fake.launches().back().device, 0);
    EXPECT_EQ(fake.current(), other);
    fake.make_current(nullptr);
}

TEST_F(CudaContext, RetainsThePrimaryOneOnceForManyThreads) {
    const Binary binary = compile("k<1>");
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i) {
        threads.emplace_back([&] { device().load(binary)->launch(plain_launch(), nullptr); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(fake.launches().size(), 16U);
    platform.reset();
    EXPECT_EQ(fake.calls("cuDevicePrimaryCtxRetain"), fake.calls("cuDevicePrimaryCtxRelease"));
}

TEST_F(CudaContext, LaunchesOnTheDefaultStreamWithoutOne) {
    const auto program = load("k<1>");
    program->launch(plain_launch(), nullptr);
    EXPECT_EQ(fake.launches().size(), 1U);
    EXPECT_EQ(fake.current(), nullptr);
}

TEST_F(CudaContext, LetsWhatItMadeOutliveThePlatform) {
    const auto program = load("k<1>");
    auto bench = device().make_bench();
    auto memory = bench->allocate(64);
    platform.reset();
    EXPECT_FALSE(bench->run(*program, plain_launch(), milliseconds(100)).has_value());
    bench.reset();
    memory.reset();
}

TEST_F(CudaCapture, LaunchIsCapturedAndNothingElseIsCalled) {
    const auto program = load("k<1>");
    begin();
    program->launch(plain_launch(), stream());
    EXPECT_EQ(fake.calls_during_capture(), std::vector<std::string>{"cuLaunchKernelEx"});
    EXPECT_TRUE(still_alive());
    EXPECT_EQ(fake.captured().size(), 1U);
    EXPECT_TRUE(fake.launches().empty());
}

TEST_F(CudaCapture, RefusesScratchAndLeavesTheCaptureAlive) {
    platform->site(stream()).scratch({.plain = 100, .zeroed = 4});
    begin();
    const std::string message = expect_error(ErrorKind::not_prepared, [&] {
        platform->site(stream()).scratch({.plain = 100, .zeroed = 4});
    });
    EXPECT_NE(message.find("prepare it before"), std::string::npos) << message;
    EXPECT_EQ(fake.calls("cuMemAlloc"), 2);
    EXPECT_TRUE(still_alive());
}

TEST_F(CudaCapture, TakesALaunchThatNeedsNoWorkMemory) {
    fake.make_current(fake.make_context(1));
    const CUstream other = fake.make_stream();
    fake.make_current(nullptr);
    for (const CUstream mine : {stream(), other}) {
        fake.begin_capture(mine);
        StreamSite& site = platform->site(mine);
        EXPECT_EQ(&site.device(), &platform->device(mine == other ? 1 : 0));
        EXPECT_EQ(site.scratch({}).plain, nullptr);
        EXPECT_TRUE(fake.end_capture(mine));
        EXPECT_NE(&platform->site(mine), &site);
    }
}

TEST_F(CudaCapture, DoesNotHideTheDeviceOfTheLegacyStream) {
    stream();
    fake.make_current(fake.primary_context(0));
    begin();
    EXPECT_EQ(&platform->site(nullptr).device(), &device());
    EXPECT_TRUE(still_alive());
    fake.make_current(nullptr);
}

TEST_F(CudaCapture, RefusesToReadAResultBack) {
    const auto memory = device().allocate_zeroed(4);
    begin();
    expect_error(ErrorKind::not_prepared, [&] { read_float(memory->data(), stream()); });
    EXPECT_TRUE(still_alive());
}

TEST_F(CudaCapture, NamesTheCallThatCannotBeCaptured) {
    begin();
    const std::string message = expect_error(
        ErrorKind::not_prepared, [&] { platform->site(stream()).refuse_capture("tuned_reduce"); });
    EXPECT_EQ(message.rfind("tuned_reduce: ", 0), 0U) << message;
    EXPECT_TRUE(still_alive());
    EXPECT_NO_THROW(platform->site(stream()).refuse_capture("tuned_reduce"));
}

TEST_F(CudaCapture, RefusesTheLegacyStreamBesideACapture) {
    stream();
    fake.make_current(fake.primary_context(0));
    begin();
    expect_error(ErrorKind::not_prepared,
                 [&] { platform->site(nullptr).refuse_capture("reduce"); });
    expect_error(ErrorKind::not_prepared,
                 [&] { platform->site(nullptr).scratch({.plain = 1, .zeroed = 0}); });
    expect_error(ErrorKind::not_prepared, [&] { platform->site(nullptr).scratch({}); });
    EXPECT_TRUE(still_alive());
    fake.make_current(nullptr);
}

TEST_F(CudaCapture, OfAnotherStreamIsNotDisturbedBySlowWork) {
    stream();
    begin();
    EXPECT_EQ(double_on_the_device({4}), std::vector<float>{8});
    device().allocate_zeroed(10);
    EXPECT_TRUE(still_alive());
}

TEST_F(CudaCapture, TakesAWrittenResult) {
    const auto memory = device().allocate_zeroed(4);
    const float value = 3;
    begin();
    device().write(memory->data(), std::as_bytes(std::span(&value, 1)), 1, stream());
    EXPECT_TRUE(still_alive());
    EXPECT_TRUE(all_zero(memory->data(), 4));
}

}  // namespace
}  // namespace jitune::internal
