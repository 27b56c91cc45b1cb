// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <thread>
#include <vector>

#include "families/reduce/reduce_reference.hpp"
#include "fixtures/await_tunings.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "jitune/reduce.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

class ReduceGpu : public GpuFixture {
protected:
    template <class T>
    static std::string judge(ReduceOp op, const std::vector<T>& values, T got) {
        const auto layout = layout_of(ReduceKind::all, 1, static_cast<std::int64_t>(values.size()));
        const Expected expected = reduce_reference({kElementType<T>, op, kElementType<T>}, layout,
                                                   std::as_bytes(std::span(values)));
        return compare(expected, std::as_bytes(std::span(&got, 1)));
    }

    /// Small whole numbers: float sums of them are exact in any order.
    template <class T>
    static std::vector<T> values(std::size_t n) {
        std::vector<T> result(n);
        for (std::size_t i = 0; i < n; ++i) {
            result[i] = static_cast<T>(static_cast<int>((i * 2654435761u) >> 7 & 31) - 15);
        }
        return result;
    }

    template <class T>
    void check_all_operations(std::size_t n, std::size_t offset) {
        const std::vector<T> data = values<T>(n);
        const DeviceArray<T> array(*driver_, data, offset);
        for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max}) {
            const T got = tuned_reduce(array.data(), n, op, nullptr, session_);
            EXPECT_EQ(judge(op, data, got), "")
                << to_string(op) << " n=" << n << " offset=" << offset;
        }
    }
};

TEST_F(ReduceGpu, IsRightForEveryTypeOperationSizeAndOffset) {
    for (const std::size_t n : {1u, 31u, 32u, 33u, 255u, 4096u, 4097u, 1048583u}) {
        for (const std::size_t offset : {0u, 1u, 3u}) {
            check_all_operations<std::int32_t>(n, offset);
            check_all_operations<std::int64_t>(n, offset);
            check_all_operations<float>(n, offset);
            check_all_operations<double>(n, offset);
        }
    }
}

TEST_F(ReduceGpu, NoElementsGiveTheIdentityWithoutACompile) {
    const double* nothing = nullptr;
    EXPECT_EQ(tuned_reduce(nothing, 0, ReduceOp::sum, nullptr, session_), 0.0);
    DeviceArray<double> result(*driver_, 1);
    tuned_reduce(nothing, 0, result.data(), ReduceOp::min, nullptr, session_);
    EXPECT_EQ(result.download().front(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(session_.counters().compiles, 0);
}

TEST_F(ReduceGpu, CountsBeyondThirtyTwoBits) {
    const std::size_t n = (std::size_t{1} << 32) + 12345;
    std::size_t free = 0;
    std::size_t total = 0;
    driver_->cuMemGetInfo(&free, &total);
    if (free < n * sizeof(std::int32_t) + (std::size_t{1} << 30)) {
        GTEST_SKIP() << "needs 17 GiB of device memory";
    }
    DeviceArray<std::int32_t> array(*driver_, n);
    driver_->cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(array.data()), 1,
                             n * sizeof(std::int32_t), nullptr);
    const auto ones = static_cast<std::uint64_t>(0x01010101);
    EXPECT_EQ(tuned_reduce(array.data(), n, ReduceOp::sum, nullptr, session_),
              static_cast<std::int32_t>(ones * n));
}

TEST_F(ReduceGpu, PutsItsAnswerOnTheStreamItIsGiven) {
    const std::vector<float> data = values<float>(100'003);
    DeviceArray<float> array(*driver_, data);
    DeviceArray<float> result(*driver_, 1);
    CUstream stream = nullptr;
    ASSERT_EQ(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    for (int i = 0; i < 100; ++i) {
        tuned_reduce(array.data(), data.size(), result.data(), ReduceOp::sum, stream, session_);
    }
    driver_->cuStreamSynchronize(stream);
    EXPECT_EQ(judge(ReduceOp::sum, data, result.download().front()), "");
    driver_->cuStreamDestroy(stream);
}

TEST_F(ReduceGpu, ThreadsOnStreamsOfTheirOwnDoNotDisturbEachOther) {
    constexpr int kThreads = 16;
    const std::vector<std::int32_t> data = values<std::int32_t>(1'000'003);
    DeviceArray<std::int32_t> array(*driver_, data);
    std::vector<std::string> complaints(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            driver_->cuCtxPushCurrent(context_);
            CUstream stream = nullptr;
            driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
            DeviceArray<std::int32_t> result(*driver_, 1);
            for (int i = 0; i < 200; ++i) {
                tuned_reduce(array.data(), data.size(), result.data(), ReduceOp::sum, stream,
                             session_);
            }
            driver_->cuStreamSynchronize(stream);
            complaints[static_cast<std::size_t>(t)] =
                judge(ReduceOp::sum, data, result.download().front());
            driver_->cuStreamDestroy(stream);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::string& complaint : complaints) {
        EXPECT_EQ(complaint, "");
    }
    EXPECT_LE(session_.counters().compiles, 1) << "none where the default comes compiled";
}

TEST_F(ReduceGpu, FirstTouchByManyThreadsTunesOnce) {
    Session session(quick_options(TunePolicy::now));
    const std::vector<float> data = values<float>(65'537);
    DeviceArray<float> array(*driver_, data);
    std::vector<std::thread> threads;
    std::vector<float> answers(64);
    for (float& answer : answers) {
        threads.emplace_back([&] {
            driver_->cuCtxPushCurrent(context_);
            answer = tuned_reduce(array.data(), data.size(), ReduceOp::sum, nullptr, session);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    await_tunings(session);
    EXPECT_EQ(session.counters().tunings, 1);
    for (const float answer : answers) {
        EXPECT_EQ(judge(ReduceOp::sum, data, answer), "");
    }
}

TEST_F(ReduceGpu, TunesStoresAndLaterDispatchesWithoutCompiling) {
    const TempDir directory;
    Options options = quick_options(TunePolicy::now);
    options.database = directory.path() / "tuning.db";
    const std::vector<double> data = values<double>(300'007);
    DeviceArray<double> array(*driver_, data);
    Session first(options);
    EXPECT_EQ(judge(ReduceOp::sum, data,
                    tuned_reduce(array.data(), data.size(), ReduceOp::sum, nullptr, first)),
              "");
    await_tunings(first);
    EXPECT_GT(first.counters().compiles, 0);
    Session second(options);
    EXPECT_EQ(judge(ReduceOp::sum, data,
                    tuned_reduce(array.data(), data.size(), ReduceOp::sum, nullptr, second)),
              "");
    EXPECT_EQ(second.counters().compiles, 0);
    EXPECT_EQ(prepare_reduce<double>(data.size(), ReduceOp::sum, {}, second).info().origin,
              Origin::stored);
}

TEST_F(ReduceGpu, WorksWithNoContextCurrentAndLeavesNoneCurrent) {
    const std::vector<float> data = values<float>(5000);
    DeviceArray<float> array(*driver_, data);
    std::thread([&] {
        EXPECT_EQ(judge(ReduceOp::sum, data,
                        tuned_reduce(array.data(), data.size(), ReduceOp::sum, nullptr, session_)),
                  "");
        CUcontext current = nullptr;
        driver_->cuCtxGetCurrent(&current);
        EXPECT_EQ(current, nullptr);
    }).join();
}

TEST_F(ReduceGpu, PreparedCallsCanBeCapturedAndReplayed) {
    std::vector<float> data = values<float>(2'000'003);
    DeviceArray<float> array(*driver_, data);
    DeviceArray<float> result(*driver_, 1);
    const auto prepared = prepare_reduce<float>(data.size(), ReduceOp::max, {}, session_);
    for (const CUstreamCaptureMode mode :
         {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
          CU_STREAM_CAPTURE_MODE_RELAXED}) {
        CUstream stream = nullptr;
        ASSERT_EQ(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuStreamBeginCapture(stream, mode), CUDA_SUCCESS);
        prepared(array.data(), result.data(), stream);
        EXPECT_THROW(
            tuned_reduce(array.data(), 999, result.data(), ReduceOp::min, stream, session_), Error);
        prepared(array.data(), result.data(), stream);
        CUgraph graph = nullptr;
        ASSERT_EQ(driver_->cuStreamEndCapture(stream, &graph), CUDA_SUCCESS)
            << "the capture did not stay alive";
        CUgraphExec replay = nullptr;
        ASSERT_EQ(driver_->cuGraphInstantiateWithFlags(&replay, graph, 0), CUDA_SUCCESS);
        data[12345] += 1000;
        array.upload(data);
        for (int i = 0; i < 3; ++i) {
            ASSERT_EQ(driver_->cuGraphLaunch(replay, stream), CUDA_SUCCESS);
        }
        driver_->cuStreamSynchronize(stream);
        EXPECT_EQ(result.download().front(), data[12345]);
        driver_->cuGraphExecDestroy(replay);
        driver_->cuGraphDestroy(graph);
        driver_->cuStreamDestroy(stream);
    }
}

TEST_F(ReduceGpu, AnUnpreparedCallOnACapturingStreamSaysSo) {
    DeviceArray<float> array(*driver_, 1024);
    DeviceArray<float> result(*driver_, 1);
    CUstream stream = nullptr;
    ASSERT_EQ(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(driver_->cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    try {
        tuned_reduce(array.data(), 1000, result.data(), ReduceOp::sum, stream, session_);
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::not_prepared);
        EXPECT_NE(std::string(error.what()).find("prepare"), std::string::npos) << error.what();
    }
    CUgraph graph = nullptr;
    EXPECT_EQ(driver_->cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    driver_->cuGraphDestroy(graph);
    driver_->cuStreamDestroy(stream);
}

}  // namespace
}  // namespace jitune::internal
