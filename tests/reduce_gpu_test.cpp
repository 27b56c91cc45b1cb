#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "backend/cuda/driver_table.hpp"
#include "jitune/reduce.hpp"
#include "ops/reduce_reference.hpp"
#include "support/shared_library.hpp"
#include "support/temp_dir.hpp"

namespace jitune {
namespace {

/// Device memory of the current context, starting `offset` bytes past an aligned address.
class DeviceArray {
public:
    DeviceArray(const DriverTable& driver, std::size_t bytes, std::size_t offset = 0)
        : driver_(driver), offset_(offset) {
        if (driver_.cuMemAlloc(&memory_, bytes + offset + 8) != CUDA_SUCCESS) {
            throw std::bad_alloc();
        }
    }
    ~DeviceArray() { driver_.cuMemFree(memory_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(memory_ + offset_);
    }

    template <class T>
    void upload(const std::vector<T>& values) {
        driver_.cuMemcpyHtoDAsync(memory_ + offset_, values.data(), values.size() * sizeof(T),
                                  nullptr);
        driver_.cuStreamSynchronize(nullptr);
    }

    template <class T>
    T download() const {
        T value;
        driver_.cuMemcpyDtoHAsync(&value, memory_ + offset_, sizeof value, nullptr);
        driver_.cuStreamSynchronize(nullptr);
        return value;
    }

private:
    const DriverTable& driver_;
    CUdeviceptr memory_ = 0;
    std::size_t offset_;
};

Options quick_options(TunePolicy policy) {
    Options options;
    options.database.clear();
    options.on_miss = policy;
    options.budget = std::chrono::milliseconds(300);
    return options;
}

class ReduceGpu : public testing::Test {
protected:
    void SetUp() override {
        for (const DeviceDescription& device : session_.devices()) {
            if (device.id.starts_with("cuda") && !device.missing.empty()) {
                GTEST_SKIP() << device.missing;
            }
        }
        driver_ = load_driver();
        CUdevice device = 0;
        ASSERT_EQ(driver_->cuDeviceGet(&device, 0), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuDevicePrimaryCtxRetain(&context_, device), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuCtxPushCurrent(context_), CUDA_SUCCESS);
    }

    void TearDown() override {
        if (context_ != nullptr) {
            CUcontext popped = nullptr;
            driver_->cuCtxPopCurrent(&popped);
            EXPECT_EQ(popped, context_) << "jitune left another context current";
        }
    }

    template <class T>
    std::string judge(ReduceOp op, const std::vector<T>& values, T got) {
        const std::string element(to_string(detail::kElementType<T>));
        const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
        const std::size_t size = values.size() * sizeof(T);
        Expected expected =
            reduce_reference(element, std::string(to_string(op)), {bytes, size}, size);
        std::array<std::byte, sizeof(T)> got_bytes;
        std::memcpy(got_bytes.data(), &got, sizeof got);
        return compare(element, expected, got_bytes);
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
        DeviceArray array(*driver_, n * sizeof(T), offset * sizeof(T));
        array.upload(data);
        for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max}) {
            const T got = tuned_reduce<T>(array.as<const T>(), n, op, session_);
            EXPECT_EQ(judge(op, data, got), "")
                << to_string(op) << " n=" << n << " offset=" << offset;
        }
    }

    Session session_{quick_options(TunePolicy::template_default)};
    std::shared_ptr<const DriverTable> driver_;
    CUcontext context_ = nullptr;
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

TEST_F(ReduceGpu, PropagatesNaNAndInfinity) {
    std::vector<float> data(5000, 1.0f);
    data[4321] = std::numeric_limits<float>::quiet_NaN();
    DeviceArray array(*driver_, data.size() * sizeof(float));
    array.upload(data);
    EXPECT_TRUE(
        std::isnan(tuned_reduce<float>(array.as<const float>(), 5000, ReduceOp::min, session_)));
    EXPECT_TRUE(
        std::isnan(tuned_reduce<float>(array.as<const float>(), 5000, ReduceOp::max, session_)));
    data[4321] = -std::numeric_limits<float>::infinity();
    array.upload(data);
    EXPECT_EQ(tuned_reduce<float>(array.as<const float>(), 5000, ReduceOp::min, session_),
              data[4321]);
    EXPECT_EQ(tuned_reduce<float>(array.as<const float>(), 5000, ReduceOp::sum, session_),
              data[4321]);
}

TEST_F(ReduceGpu, WrapsIntegerSums) {
    const std::vector<std::int32_t> data(3, std::numeric_limits<std::int32_t>::max());
    DeviceArray array(*driver_, sizeof(std::int32_t) * 3);
    array.upload(data);
    EXPECT_EQ(
        tuned_reduce<std::int32_t>(array.as<const std::int32_t>(), 3, ReduceOp::sum, session_),
        std::numeric_limits<std::int32_t>::max() - 2);
}

TEST_F(ReduceGpu, OfNothingIsTheIdentityWithoutACompile) {
    const double* nothing = nullptr;
    EXPECT_EQ(tuned_reduce<double>(nothing, 0, ReduceOp::sum, session_), 0.0);
    DeviceArray result(*driver_, sizeof(double));
    tuned_reduce<double>(nothing, 0, ReduceOp::min, result.as<double>(), nullptr, session_);
    EXPECT_EQ(result.download<double>(), std::numeric_limits<double>::infinity());
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
    DeviceArray array(*driver_, n * sizeof(std::int32_t));
    driver_->cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(array.as<void>()), 1,
                             n * sizeof(std::int32_t), nullptr);
    const auto ones = static_cast<std::uint64_t>(0x01010101);
    EXPECT_EQ(
        tuned_reduce<std::int32_t>(array.as<const std::int32_t>(), n, ReduceOp::sum, session_),
        static_cast<std::int32_t>(ones * n));
}

TEST_F(ReduceGpu, PutsItsAnswerOnTheStreamItIsGiven) {
    const std::vector<float> data = values<float>(100'003);
    DeviceArray array(*driver_, data.size() * sizeof(float));
    DeviceArray result(*driver_, sizeof(float));
    array.upload(data);
    CUstream stream = nullptr;
    ASSERT_EQ(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    for (int i = 0; i < 100; ++i) {
        tuned_reduce<float>(array.as<const float>(), data.size(), ReduceOp::sum, result.as<float>(),
                            stream, session_);
    }
    driver_->cuStreamSynchronize(stream);
    EXPECT_EQ(judge(ReduceOp::sum, data, result.download<float>()), "");
    driver_->cuStreamDestroy(stream);
}

TEST_F(ReduceGpu, ThreadsOnStreamsOfTheirOwnDoNotDisturbEachOther) {
    constexpr int kThreads = 16;
    const std::vector<std::int32_t> data = values<std::int32_t>(1'000'003);
    DeviceArray array(*driver_, data.size() * sizeof(std::int32_t));
    array.upload(data);
    std::vector<std::string> complaints(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            driver_->cuCtxPushCurrent(context_);
            CUstream stream = nullptr;
            driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
            DeviceArray result(*driver_, sizeof(std::int32_t));
            for (int i = 0; i < 200; ++i) {
                tuned_reduce<std::int32_t>(array.as<const std::int32_t>(), data.size(),
                                           ReduceOp::sum, result.as<std::int32_t>(), stream,
                                           session_);
            }
            driver_->cuStreamSynchronize(stream);
            complaints[static_cast<std::size_t>(t)] =
                judge(ReduceOp::sum, data, result.download<std::int32_t>());
            driver_->cuStreamDestroy(stream);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::string& complaint : complaints) {
        EXPECT_EQ(complaint, "");
    }
    EXPECT_EQ(session_.counters().compiles, 1);
}

TEST_F(ReduceGpu, FirstTouchByManyThreadsTunesOnce) {
    Session session(quick_options(TunePolicy::now));
    const std::vector<float> data = values<float>(65'537);
    DeviceArray array(*driver_, data.size() * sizeof(float));
    array.upload(data);
    std::vector<std::thread> threads;
    std::vector<float> answers(64);
    for (float& answer : answers) {
        threads.emplace_back([&] {
            driver_->cuCtxPushCurrent(context_);
            answer =
                tuned_reduce<float>(array.as<const float>(), data.size(), ReduceOp::sum, session);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
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
    DeviceArray array(*driver_, data.size() * sizeof(double));
    array.upload(data);
    Session first(options);
    EXPECT_EQ(
        judge(ReduceOp::sum, data,
              tuned_reduce<double>(array.as<const double>(), data.size(), ReduceOp::sum, first)),
        "");
    EXPECT_GT(first.counters().compiles, 0);
    Session second(options);
    EXPECT_EQ(
        judge(ReduceOp::sum, data,
              tuned_reduce<double>(array.as<const double>(), data.size(), ReduceOp::sum, second)),
        "");
    EXPECT_EQ(second.counters().compiles, 0);
    EXPECT_EQ(prepare_reduce<double>(data.size(), ReduceOp::sum, second).info().origin,
              Origin::stored);
}

TEST_F(ReduceGpu, WorksWithNoContextCurrentAndLeavesNoneCurrent) {
    const std::vector<float> data = values<float>(5000);
    DeviceArray array(*driver_, data.size() * sizeof(float));
    array.upload(data);
    std::thread([&] {
        EXPECT_EQ(judge(ReduceOp::sum, data,
                        tuned_reduce<float>(array.as<const float>(), data.size(), ReduceOp::sum,
                                            session_)),
                  "");
        CUcontext current = nullptr;
        driver_->cuCtxGetCurrent(&current);
        EXPECT_EQ(current, nullptr);
    }).join();
}

/// Capture functions that the library itself never calls.
struct CaptureTable {
    decltype(&::cuStreamBeginCapture) begin = nullptr;
    decltype(&::cuStreamEndCapture) end = nullptr;

    explicit CaptureTable() {
        auto library = SharedLibrary::open({"libcuda.so.1"}, SharedLibrary::Lifetime::process);
        begin = reinterpret_cast<decltype(begin)>(library.find("cuStreamBeginCapture_v2"));
        end = reinterpret_cast<decltype(end)>(library.find("cuStreamEndCapture"));
    }
};

TEST_F(ReduceGpu, PreparedCallsCanBeCapturedAndReplayed) {
    const CaptureTable capture;
    std::vector<float> data = values<float>(2'000'003);
    DeviceArray array(*driver_, data.size() * sizeof(float));
    DeviceArray result(*driver_, sizeof(float));
    array.upload(data);
    const auto prepared = prepare_reduce<float>(data.size(), ReduceOp::max, session_);
    for (const CUstreamCaptureMode mode :
         {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
          CU_STREAM_CAPTURE_MODE_RELAXED}) {
        CUstream stream = nullptr;
        ASSERT_EQ(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
        ASSERT_EQ(capture.begin(stream, mode), CUDA_SUCCESS);
        prepared(array.as<const float>(), result.as<float>(), stream);
        EXPECT_THROW(tuned_reduce<float>(array.as<const float>(), 999, ReduceOp::min,
                                         result.as<float>(), stream, session_),
                     Error);
        prepared(array.as<const float>(), result.as<float>(), stream);
        CUgraph graph = nullptr;
        ASSERT_EQ(capture.end(stream, &graph), CUDA_SUCCESS) << "the capture did not stay alive";
        CUgraphExec replay = nullptr;
        ASSERT_EQ(driver_->cuGraphInstantiateWithFlags(&replay, graph, 0), CUDA_SUCCESS);
        data[12345] += 1000;
        array.upload(data);
        for (int i = 0; i < 3; ++i) {
            ASSERT_EQ(driver_->cuGraphLaunch(replay, stream), CUDA_SUCCESS);
        }
        driver_->cuStreamSynchronize(stream);
        EXPECT_EQ(result.download<float>(), data[12345]);
        driver_->cuGraphExecDestroy(replay);
        driver_->cuGraphDestroy(graph);
        driver_->cuStreamDestroy(stream);
    }
}

TEST_F(ReduceGpu, AnUnpreparedCallOnACapturingStreamSaysSo) {
    const CaptureTable capture;
    DeviceArray array(*driver_, 4096);
    CUstream stream = nullptr;
    ASSERT_EQ(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(capture.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    try {
        tuned_reduce<float>(array.as<const float>(), 1000, ReduceOp::sum, array.as<float>(), stream,
                            session_);
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::not_prepared);
        EXPECT_NE(std::string(error.what()).find("prepare"), std::string::npos) << error.what();
    }
    CUgraph graph = nullptr;
    EXPECT_EQ(capture.end(stream, &graph), CUDA_SUCCESS);
    driver_->cuGraphDestroy(graph);
    driver_->cuStreamDestroy(stream);
}

TEST_F(ReduceGpu, GivesTheSameBitsEveryTime) {
    std::vector<float> data(1'000'003);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = 1.0f / static_cast<float>(i + 1);
    }
    DeviceArray array(*driver_, data.size() * sizeof(float));
    array.upload(data);
    const float first =
        tuned_reduce<float>(array.as<const float>(), data.size(), ReduceOp::sum, session_);
    EXPECT_NEAR(first, 14.392729, 1e-4);
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(
            tuned_reduce<float>(array.as<const float>(), data.size(), ReduceOp::sum, session_),
            first);
    }
}

}  // namespace
}  // namespace jitune
