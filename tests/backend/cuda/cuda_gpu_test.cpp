// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include "backend/cuda/driver/cuda_platform.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

const char* const kKernels = R"(
__global__ void twice(float* values, unsigned long long n) {
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= 2;
}
__global__ void count(int* counter, unsigned long long) { atomicAdd(counter, 1); }
__global__ void wander(float* values, unsigned long long) { values[threadIdx.x] = 1; }
__global__ void spin(volatile int* flag, unsigned long long) { while (*flag == 0) { } }
__global__ void use_shared(float* values, unsigned long long bytes) {
    extern __shared__ float shared[];
    shared[bytes / 4 - 1] = 7;
    __syncthreads();
    values[0] = shared[bytes / 4 - 1];
}
)";

class CudaGpu : public ::testing::Test {
protected:
    void SetUp() override {
        platform_ = make_cuda_platform(Log(LogLevel::warning));
        if (platform_->device_count() == 0) {
            GTEST_SKIP() << platform_->missing();
        }
    }

    Device& device() { return platform_->device(0); }

    std::shared_ptr<const Program> load(const std::string& expression) {
        const TemplateSource source{"gpu_test.cu", kKernels, {}};
        const Instance instance{{expression}};
        const auto outcome = device().compile(source, {&instance, 1}).front();
        if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
            throw Error(ErrorKind::compile, failure->log);
        }
        return device().load(std::get<Binary>(outcome));
    }

    static Launch launch_on(const DeviceMemory& memory, std::uint64_t number,
                            std::uint32_t blocks = 1, std::uint32_t threads = 256) {
        Launch launch{};
        launch.step_count = 1;
        launch.steps[0].grid = {1, 1, 1};
        launch.steps[0].block = {1, 1, 1};
        launch.steps[0].grid.x = blocks;
        launch.steps[0].block.x = threads;
        launch.steps[0].argument_count = 2;
        launch.steps[0].arguments = {0, 1};
        launch.cells = {reinterpret_cast<std::uintptr_t>(memory.data()), number};
        return launch;
    }

    template <class T>
    T read(const void* address, Stream stream = nullptr) {
        T value{};
        device().read_back(std::as_writable_bytes(std::span(&value, 1)), address, stream);
        return value;
    }

    std::unique_ptr<Platform> platform_;
};

TEST_F(CudaGpu, CompilesLoadsAndRuns) {
    const auto program = load("twice");
    const auto bench = device().make_bench();
    std::vector<float> values(1000);
    std::iota(values.begin(), values.end(), 0.0F);
    const auto memory = bench->allocate(values.size() * sizeof(float));
    bench->upload(memory->data(), std::as_bytes(std::span(values)));
    const auto failure =
        bench->run(*program, launch_on(*memory, values.size(), 4), milliseconds(10000));
    ASSERT_FALSE(failure.has_value()) << failure->reason;
    std::vector<float> result(values.size());
    bench->download(std::as_writable_bytes(std::span(result)), memory->data());
    for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(result[i], 2 * values[i]) << i;
    }
}

TEST_F(CudaGpu, ComparesMemoryOfAnyAlignmentAndSize) {
    constexpr std::size_t kBytes = 3'000'000;
    const auto bench = device().make_bench();
    const auto one = bench->allocate(kBytes);
    const auto other = bench->allocate(kBytes);
    auto* const a = static_cast<std::byte*>(one->data());
    auto* const b = static_cast<std::byte*>(other->data());
    for (const std::size_t bytes : {1U, 15U, 16U, 33U, 1000U, 2'999'937U}) {
        for (const auto& [at, there] : {std::pair{0, 0}, {1, 1}, {5, 21}, {0, 1}, {7, 2}}) {
            bench->fill(a, std::byte{1}, kBytes);
            bench->fill(b, std::byte{2}, kBytes);
            bench->fill(b + there, std::byte{1}, bytes);
            EXPECT_TRUE(bench->equal(a + at, b + there, bytes)) << bytes << ' ' << at;
            for (const std::size_t place : {std::size_t{0}, bytes / 2, bytes - 1}) {
                bench->fill(a + at + place, std::byte{3}, 1);
                EXPECT_FALSE(bench->equal(a + at, b + there, bytes)) << bytes << ' ' << place;
                bench->fill(a + at + place, std::byte{1}, 1);
            }
        }
    }
    EXPECT_TRUE(bench->equal(a, b, 0));
}

TEST_F(CudaGpu, ComparesMoreThan4GiB) {
    constexpr std::size_t kBytes = (std::size_t{4} << 30) + 33;
    const auto bench = device().make_bench();
    std::unique_ptr<DeviceMemory> memory;
    try {
        memory = bench->allocate(kBytes + 16);
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    auto* const data = static_cast<std::byte*>(memory->data());
    bench->fill(data, std::byte{1}, kBytes + 16);
    for (const std::size_t shift : {16U, 1U}) {
        EXPECT_TRUE(bench->equal(data, data + shift, kBytes));
        bench->fill(data + kBytes + shift - 1, std::byte{2}, 1);
        EXPECT_FALSE(bench->equal(data, data + shift, kBytes)) << shift;
        bench->fill(data + kBytes + shift - 1, std::byte{1}, 1);
    }
}

TEST_F(CudaGpu, TimesAChainWarmAndCold) {
    const auto program = load("count");
    const auto bench = device().make_bench();
    const auto memory = device().allocate_zeroed(sizeof(int));
    const std::vector<Launch> chain(20, launch_on(*memory, 0, 1, 32));
    for (const bool flush : {false, true}) {
        const auto timer = bench->timer(*program, chain, 1, flush);
        for (int i = 0; i < 3; ++i) {
            const auto sample = timer->sample(milliseconds(10000));
            ASSERT_TRUE(std::holds_alternative<double>(sample))
                << std::get<LaunchFailure>(sample).reason;
            EXPECT_GT(std::get<double>(sample), 0);
        }
    }
    EXPECT_EQ(read<int>(memory->data()), 2 * 3 * 20 * 32) << "the untimed launches count too";
}

TEST_F(CudaGpu, AllowsAllTheSharedMemoryOfTheDevice) {
    const auto program = load("use_shared");
    const auto bytes =
        static_cast<std::uint32_t>(device().info().attributes.at("shared_bytes_per_block"));
    const auto memory = device().allocate_zeroed(sizeof(float));
    Launch launch = launch_on(*memory, bytes);
    launch.steps[0].shared_bytes = bytes;
    program->launch(launch, nullptr);
    EXPECT_EQ(read<float>(memory->data()), 7);
}

TEST_F(CudaGpu, LaunchesWithoutACurrentContextAndLeavesNone) {
    const auto program = load("count");
    const auto driver = load_driver();
    CUcontext current = nullptr;
    ASSERT_EQ(driver->cuCtxGetCurrent(&current), CUDA_SUCCESS);
    ASSERT_EQ(current, nullptr);
    const auto memory = device().allocate_zeroed(sizeof(int));
    program->launch(launch_on(*memory, 0), nullptr);
    EXPECT_EQ(read<int>(memory->data()), 256);
    const int value = -5;
    device().write(memory->data(), std::as_bytes(std::span(&value, 1)), 1, nullptr);
    EXPECT_EQ(read<int>(memory->data()), -5);
    ASSERT_EQ(driver->cuCtxGetCurrent(&current), CUDA_SUCCESS);
    EXPECT_EQ(current, nullptr);
}

TEST_F(CudaGpu, KeepsScratchPerStreamAndThread) {
    const ScratchNeed need{.plain = 1000, .zeroed = 16};
    const Scratch first = platform_->site(nullptr).scratch(need);
    EXPECT_EQ(platform_->site(nullptr).scratch(need).zeroed, first.zeroed);
    EXPECT_EQ(read<int>(first.zeroed), 0);
    const Scratch mine = platform_->site(CU_STREAM_PER_THREAD).scratch(need);
    EXPECT_NE(mine.plain, first.plain);
    std::thread([&] {
        EXPECT_NE(platform_->site(CU_STREAM_PER_THREAD).scratch(need).plain, mine.plain);
    }).join();
}

/// An app with a context and streams of its own.
class CudaGpuCapture : public CudaGpu {
protected:
    void SetUp() override {
        CudaGpu::SetUp();
        if (IsSkipped()) {
            return;
        }
        driver_ = load_driver();
        CUcontext context = nullptr;
        ASSERT_EQ(driver_->cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuCtxPushCurrent(context), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuStreamCreate(&stream_, CU_STREAM_DEFAULT), CUDA_SUCCESS);
    }
    void TearDown() override {
        if (stream_ != nullptr) {
            CUcontext context = nullptr;
            driver_->cuStreamDestroy(stream_);
            driver_->cuCtxPopCurrent(&context);
            platform_.reset();
            driver_->cuDevicePrimaryCtxRelease(0);
        }
    }

    void begin(CUstreamCaptureMode mode) {
        ASSERT_EQ(driver_->cuStreamBeginCapture(stream_, mode), CUDA_SUCCESS);
    }
    /// Runs what was captured, once; false where the capture had been broken.
    bool end_and_run() {
        CUgraph graph = nullptr;
        CUgraphExec replay = nullptr;
        const bool done = driver_->cuStreamEndCapture(stream_, &graph) == CUDA_SUCCESS &&
                          driver_->cuGraphInstantiateWithFlags(&replay, graph, 0) == CUDA_SUCCESS &&
                          driver_->cuGraphLaunch(replay, stream_) == CUDA_SUCCESS &&
                          driver_->cuStreamSynchronize(stream_) == CUDA_SUCCESS;
        if (replay != nullptr) {
            driver_->cuGraphExecDestroy(replay);
        }
        if (graph != nullptr) {
            driver_->cuGraphDestroy(graph);
        }
        return done;
    }
    template <class Act>
    void expect_not_prepared(const Act& act) {
        try {
            act();
            ADD_FAILURE() << "was done while capturing";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::not_prepared) << error.what();
        }
    }

    std::shared_ptr<const DriverTable> driver_;
    CUstream stream_ = nullptr;
};

TEST_F(CudaGpuCapture, RefusesSlowWorkAndStaysAlive) {
    const auto program = load("count");
    const auto memory = device().allocate_zeroed(sizeof(int));
    int expected = 0;
    for (const CUstreamCaptureMode mode :
         {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
          CU_STREAM_CAPTURE_MODE_RELAXED}) {
        begin(mode);
        program->launch(launch_on(*memory, 0), stream_);
        expect_not_prepared([&] { platform_->site(stream_).scratch({.plain = 8, .zeroed = 8}); });
        expect_not_prepared([&] { platform_->site(nullptr).scratch({.plain = 8, .zeroed = 8}); });
        expect_not_prepared([&] { platform_->site(stream_).refuse_capture("reduce"); });
        expect_not_prepared([&] { read<int>(memory->data(), stream_); });
        EXPECT_TRUE(end_and_run());
        expected += 256;
        EXPECT_EQ(read<int>(memory->data(), stream_), expected);
    }
}

TEST_F(CudaGpuCapture, IsNotBrokenBySlowWorkOfAnotherThread) {
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
    std::thread([&] {
        const auto program = load("twice");
        const auto bench = device().make_bench();
        const auto memory = bench->allocate(1024);
        bench->fill(memory->data(), std::byte{0}, 1024);
        EXPECT_FALSE(bench->run(*program, launch_on(*memory, 256), milliseconds(10000)));
    }).join();
    EXPECT_TRUE(end_and_run());
}

/// These end their context, so each runs in a process of its own.
using CudaGpuDeathRow = CudaGpu;

TEST_F(CudaGpuDeathRow, DISABLED_IllegalAddress) {
    const auto program = load("wander");
    const auto bench = device().make_bench();
    const auto memory = bench->allocate(16);
    Launch launch = launch_on(*memory, 0);
    launch.cells[0] = 0x10;
    const auto failure = bench->run(*program, launch, milliseconds(10000));
    ASSERT_TRUE(failure.has_value());
    EXPECT_TRUE(failure->fatal) << failure->reason;
    EXPECT_FALSE(failure->timed_out);
    const auto again = bench->run(*program, launch, milliseconds(10000));
    ASSERT_TRUE(again.has_value());
    EXPECT_NE(again->reason.find("before its launch"), std::string::npos) << again->reason;
    EXPECT_THROW(device().allocate_zeroed(16), Error);
}

TEST_F(CudaGpuDeathRow, DISABLED_EndlessLoop) {
    const auto program = load("spin");
    auto bench = device().make_bench();
    auto memory = bench->allocate(16);
    bench->fill(memory->data(), std::byte{0}, 16);
    const auto failure = bench->run(*program, launch_on(*memory, 0, 1, 1), milliseconds(300));
    ASSERT_TRUE(failure.has_value());
    EXPECT_TRUE(failure->timed_out && failure->fatal) << failure->reason;
    bench.reset();
    memory.reset();
    platform_.reset();
    _exit(HasFailure() ? 1 : 0);  // the driver's own exit would wait for the kernel
}

class CudaGpuLostContext : public CudaGpu {
protected:
    /// The exit status of this program with that test alone.
    static int run_alone(const std::string& test) {
        const std::string filter = "--gtest_filter=CudaGpuDeathRow.DISABLED_" + test;
        const pid_t child = fork();
        if (child == 0) {
            execl("/proc/self/exe", "cuda_gpu_test", filter.c_str(),
                  "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
            _exit(127);
        }
        int status = -1;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
};

TEST_F(CudaGpuLostContext, IsReportedAsFatalAfterAnIllegalAddress) {
    EXPECT_EQ(run_alone("IllegalAddress"), 0);
}

TEST_F(CudaGpuLostContext, IsNotWaitedForAfterAnEndlessLoop) {
    EXPECT_EQ(run_alone("EndlessLoop"), 0);
}

}  // namespace
}  // namespace jitune::internal
