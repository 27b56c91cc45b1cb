// SPDX-License-Identifier: Apache-2.0
// Tests that the fake driver and the driver of a GPU must both pass. A program that links this file
// names its subject with INSTANTIATE_TEST_SUITE_P.
#include <array>
#include <numeric>
#include <thread>

#include "conformance/cuda_subject.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {

void CudaConformance::SetUp() {
    if (platform_->device_count() == 0) {
        GTEST_SKIP() << platform_->missing();
    }
    const DriverTable& driver = subject_->driver();
    ASSERT_EQ(driver.cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver.cuCtxPushCurrent(context_), CUDA_SUCCESS);
}

void CudaConformance::TearDown() {
    if (context_ == nullptr) {
        return;
    }
    const DriverTable& driver = subject_->driver();
    CUcontext popped = nullptr;
    EXPECT_EQ(driver.cuCtxPopCurrent(&popped), CUDA_SUCCESS);
    EXPECT_EQ(popped, context_) << "another context was left current";
    platform_.reset();
    subject_->end_streams();
    driver.cuDevicePrimaryCtxRelease(0);
    EXPECT_EQ(subject_->complaints(), std::vector<std::string>{});
}

CompileOutcome CudaConformance::compile(const std::string& expression) {
    const TemplateSource source{"conformance.cu", kConformanceKernels, {}};
    const Instance instance{{expression}};
    return device().compile(source, {&instance, 1}).front();
}

std::shared_ptr<const Program> CudaConformance::load(const std::string& expression) {
    const CompileOutcome outcome = compile(expression);
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
        throw Error(ErrorKind::compile, failure->log);
    }
    return device().load(std::get<Binary>(outcome));
}

Launch CudaConformance::launch_on(const DeviceMemory& memory, std::uint64_t number,
                                  std::uint32_t blocks, std::uint32_t threads) {
    Launch launch{};
    launch.step_count = 1;
    launch.steps[0].grid = {blocks, 1, 1};
    launch.steps[0].block = {threads, 1, 1};
    launch.steps[0].argument_count = 2;
    launch.steps[0].arguments = {0, 1};
    launch.cells = {reinterpret_cast<std::uintptr_t>(memory.data()), number};
    return launch;
}

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLimit{10'000};
constexpr std::size_t kMoreThanAnyGpuHas = std::size_t{1} << 50;

std::span<const std::byte> bytes_of(const auto& value) {
    return std::as_bytes(std::span(&value, 1));
}

TEST_P(CudaConformance, DescribesItsDevice) {
    const DeviceInfo& info = device().info();
    EXPECT_EQ(info.platform, PlatformKind::cuda);
    EXPECT_EQ(info.id, "cuda:0");
    EXPECT_NE(info.name, "");
    EXPECT_TRUE(info.uuid.starts_with("GPU-")) << info.uuid;
    EXPECT_TRUE(info.driver.starts_with("CUDA ")) << info.driver;
    EXPECT_TRUE(info.device_class.starts_with("cuda cc=")) << info.device_class;
    EXPECT_EQ(info.attributes.size(), 11U);
    for (const auto& [name, value] : info.attributes) {
        EXPECT_GT(value, 0) << name;
    }
}

TEST_P(CudaConformance, CopiesAndFills) {
    const auto bench = device().make_bench();
    const auto one = bench->allocate(1000);
    const auto other = bench->allocate(1000);
    std::vector<std::byte> data(1000);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<std::byte>(i % 251);
    }
    bench->upload(one->data(), data);
    bench->fill(other->data(), std::byte{7}, 1000);
    bench->copy(static_cast<std::byte*>(other->data()) + 1, one->data(), 998);
    std::vector<std::byte> got(1000);
    bench->download(got, other->data());
    EXPECT_EQ(got.front(), std::byte{7});
    EXPECT_EQ(got.back(), std::byte{7});
    EXPECT_TRUE(std::equal(data.begin(), data.begin() + 998, got.begin() + 1));
}

TEST_P(CudaConformance, ComparesMemory) {
    const auto bench = device().make_bench();
    const auto one = bench->allocate(5000);
    const auto other = bench->allocate(5000);
    for (const std::size_t place : {0U, 2500U, 4999U}) {
        bench->fill(one->data(), std::byte{1}, 5000);
        bench->fill(other->data(), std::byte{1}, 5000);
        EXPECT_TRUE(bench->equal(one->data(), other->data(), 5000));
        bench->fill(static_cast<std::byte*>(other->data()) + place, std::byte{2}, 1);
        EXPECT_FALSE(bench->equal(one->data(), other->data(), 5000)) << place;
    }
}

TEST_P(CudaConformance, GivesAlignedMemoryThatIsZeroWhereAsked) {
    const auto memory = device().allocate_zeroed(1000);
    EXPECT_EQ(memory->bytes(), 1000U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) % 256, 0U);
    for (const int at : {0, 500, 996}) {
        EXPECT_EQ(read<int>(static_cast<std::byte*>(memory->data()) + at), 0) << at;
    }
    EXPECT_NE(device().allocate(0)->data(), nullptr);
}

TEST_P(CudaConformance, SaysThatMemoryHasRunOut) {
    expect_error(ErrorKind::unavailable, "bytes", [&] { device().allocate(kMoreThanAnyGpuHas); });
    expect_error(ErrorKind::unavailable, "bytes",
                 [&] { device().make_bench()->allocate(kMoreThanAnyGpuHas); });
    EXPECT_NE(device().allocate(1000)->data(), nullptr) << "goes on after that";
}

TEST_P(CudaConformance, RunsAKernelOnUploadedData) {
    const auto program = load("twice");
    const auto bench = device().make_bench();
    std::vector<float> values(1000);
    std::iota(values.begin(), values.end(), 0.0F);
    const auto memory = bench->allocate(values.size() * sizeof(float));
    bench->upload(memory->data(), std::as_bytes(std::span(values)));
    const auto failure = bench->run(*program, launch_on(*memory, values.size() - 1, 16), kLimit);
    ASSERT_FALSE(failure.has_value()) << failure->reason;
    std::vector<float> got(values.size());
    bench->download(std::as_writable_bytes(std::span(got)), memory->data());
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        ASSERT_EQ(got[i], 2 * values[i]) << i;
    }
    EXPECT_EQ(got.back(), values.back()) << "behind the n values";
}

TEST_P(CudaConformance, ReportsAnExpressionThatDoesNotCompile) {
    const CompileOutcome outcome = compile("no_such_kernel<1>");
    ASSERT_TRUE(std::holds_alternative<CompileFailure>(outcome));
    EXPECT_NE(std::get<CompileFailure>(outcome).log, "");
    EXPECT_TRUE(std::holds_alternative<Binary>(compile("count")));
}

TEST_P(CudaConformance, RefusesADamagedImageAndAnUnknownSymbol) {
    Binary binary = std::get<Binary>(compile("count"));
    Binary damaged = binary;
    damaged.image = std::make_shared<const std::string>("no image");
    expect_error(ErrorKind::device, "load", [&] { device().load(damaged); });
    binary.symbols = {"no_such_symbol"};
    expect_error(ErrorKind::device, "cuLibraryGetKernel", [&] { device().load(binary); });
}

/// Launches that the driver refuses before the kernel runs.
void spoil(Launch& launch, int way) {
    if (way == 0) {
        launch.steps[0].block.x = 2048;
    } else if (way == 1) {
        launch.steps[0].grid.x = 0;
    } else {
        launch.steps[0].shared_bytes = 1 << 24;
    }
}

TEST_P(CudaConformance, GoesOnAfterALaunchThatWasRefused) {
    const auto program = load("count");
    const auto bench = device().make_bench();
    const auto memory = device().allocate_zeroed(sizeof(int));
    for (const int way : {0, 1, 2}) {
        Launch bad = launch_on(*memory, 0);
        spoil(bad, way);
        const auto failure = bench->run(*program, bad, kLimit);
        ASSERT_TRUE(failure.has_value()) << way;
        EXPECT_FALSE(failure->fatal) << failure->reason;
        EXPECT_FALSE(failure->timed_out) << failure->reason;
        EXPECT_NE(failure->reason.find("CUDA_ERROR_INVALID_VALUE"), std::string::npos)
            << failure->reason;
        expect_error(ErrorKind::device, "cuLaunchKernelEx", [&] { program->launch(bad, nullptr); });
    }
    EXPECT_FALSE(bench->run(*program, launch_on(*memory, 0), kLimit).has_value());
    EXPECT_EQ(read<int>(memory->data()), 64);
}

TEST_P(CudaConformance, ReadsBackWhatTheStreamHasDoneByThen) {
    const auto program = load("count");
    const CUstream stream = subject_->make_stream();
    const auto memory = device().allocate_zeroed(sizeof(int));
    for (int i = 1; i <= 50; ++i) {
        program->launch(launch_on(*memory, 0, 4), stream);
        if (i % 10 == 0) {
            EXPECT_EQ(read<int>(memory->data(), stream), i * 4 * 64);
        }
    }
}

TEST_P(CudaConformance, WritesValuesOfEverySize) {
    const auto memory = device().allocate_zeroed(64);
    auto* const data = static_cast<std::byte*>(memory->data());
    const std::int64_t wide = -5'000'000'000;
    const std::int32_t middle = -7;
    const std::uint8_t narrow = 200;
    device().write(data, bytes_of(wide), 2, nullptr);
    device().write(data + 16, bytes_of(middle), 3, nullptr);
    device().write(data + 28, bytes_of(narrow), 1, nullptr);
    EXPECT_EQ(read<std::int64_t>(data), wide);
    EXPECT_EQ(read<std::int64_t>(data + 8), wide);
    for (const int at : {16, 20, 24}) {
        EXPECT_EQ(read<std::int32_t>(data + at), middle) << at;
    }
    EXPECT_EQ(read<std::uint32_t>(data + 28), 200U) << "one byte of four";
}

TEST_P(CudaConformance, LaunchesWithoutACurrentContextAndLeavesNone) {
    const auto program = load("count");
    const DriverTable& driver = subject_->driver();
    CUcontext mine = nullptr;
    ASSERT_EQ(driver.cuCtxPopCurrent(&mine), CUDA_SUCCESS);
    const auto memory = device().allocate_zeroed(sizeof(int));
    program->launch(launch_on(*memory, 0), nullptr);
    EXPECT_EQ(read<int>(memory->data()), 64);
    CUcontext current = nullptr;
    ASSERT_EQ(driver.cuCtxGetCurrent(&current), CUDA_SUCCESS);
    EXPECT_EQ(current, nullptr);
    ASSERT_EQ(driver.cuCtxPushCurrent(mine), CUDA_SUCCESS);
}

TEST_P(CudaConformance, KeepsScratchPerStreamAndThread) {
    const ScratchNeed need{.plain = 1000, .zeroed = 16};
    const CUstream stream = subject_->make_stream();
    const Scratch first = platform_->site(stream).scratch(need);
    EXPECT_EQ(platform_->site(stream).scratch({.plain = 10, .zeroed = 4}), first);
    EXPECT_EQ(read<int>(first.zeroed, stream), 0);
    EXPECT_NE(platform_->site(nullptr).scratch(need).plain, first.plain);
    const Scratch mine = platform_->site(CU_STREAM_PER_THREAD).scratch(need);
    EXPECT_NE(mine.plain, first.plain);
    std::thread([&] {
        const DriverTable& driver = subject_->driver();
        CUcontext popped = nullptr;
        ASSERT_EQ(driver.cuCtxPushCurrent(context_), CUDA_SUCCESS);
        EXPECT_NE(platform_->site(CU_STREAM_PER_THREAD).scratch(need).plain, mine.plain);
        ASSERT_EQ(driver.cuCtxPopCurrent(&popped), CUDA_SUCCESS);
    }).join();
}

TEST_P(CudaConformance, RefusesSlowWorkInACaptureThatStaysAlive) {
    const auto program = load("count");
    const auto memory = device().allocate_zeroed(sizeof(int));
    const CUstream stream = subject_->make_stream();
    int expected = 0;
    for (const CUstreamCaptureMode mode :
         {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
          CU_STREAM_CAPTURE_MODE_RELAXED}) {
        subject_->begin_capture(stream, mode);
        program->launch(launch_on(*memory, 0), stream);
        const auto refused = [](const auto& act) {
            expect_error(ErrorKind::not_prepared, "captur", act);
        };
        refused([&] { platform_->site(stream).scratch({.plain = 8, .zeroed = 8}); });
        refused([&] { platform_->site(nullptr).scratch({.plain = 8, .zeroed = 8}); });
        refused([&] { platform_->site(stream).refuse_capture("reduce"); });
        refused([&] { read<int>(memory->data(), stream); });
        EXPECT_TRUE(subject_->end_capture_and_run(stream));
        expected += 64;
        EXPECT_EQ(read<int>(memory->data(), stream), expected) << "what was captured ran once";
    }
}

TEST_P(CudaConformance, WritesNothingWhileItIsCaptured) {
    const auto memory = device().allocate_zeroed(sizeof(int));
    const CUstream stream = subject_->make_stream();
    const CUstream other = subject_->make_stream();
    const int value = 5;
    subject_->begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    device().write(memory->data(), bytes_of(value), 1, stream);
    EXPECT_EQ(read<int>(memory->data(), other), 0);
    EXPECT_TRUE(subject_->end_capture_and_run(stream));
}

TEST_P(CudaConformance, BreaksNoCaptureBySlowWorkOfAnotherThread) {
    const CUstream stream = subject_->make_stream();
    subject_->begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    std::thread([&] {
        const auto program = load("twice");
        const auto bench = device().make_bench();
        const auto memory = bench->allocate(1024);
        bench->fill(memory->data(), std::byte{0}, 1024);
        EXPECT_FALSE(bench->run(*program, launch_on(*memory, 256, 4), kLimit).has_value());
    }).join();
    EXPECT_TRUE(subject_->end_capture_and_run(stream));
}

TEST_P(CudaConformance, TimesAChainAndRunsAllOfIt) {
    const auto program = load("count");
    const auto memory = device().allocate_zeroed(sizeof(int));
    const auto bench = device().make_bench();
    const std::vector<Launch> chain(20, launch_on(*memory, 0));
    for (const bool flush : {false, true}) {
        const auto timer = bench->timer(*program, chain, 1, flush);
        for (int i = 0; i < 3; ++i) {
            const auto sample = timer->sample(kLimit);
            ASSERT_TRUE(std::holds_alternative<double>(sample))
                << std::get<LaunchFailure>(sample).reason;
            EXPECT_GT(std::get<double>(sample), 0);
        }
    }
    EXPECT_EQ(read<int>(memory->data()), 2 * 3 * 20 * 64)
        << "launches that are not timed count too";
    EXPECT_EQ(bench->chain_kind(), "graph");
    expect_error(ErrorKind::usage, "",
                 [&] { bench->timer(*program, std::span(chain).first(1), 1, false); });
}

TEST_P(CudaConformance, WorksThroughAQueueInOrder) {
    const auto program = load("twice");
    const auto queue = device().make_queue();
    const auto memory = queue->allocate(4 * sizeof(float));
    const auto staging = queue->allocate_staging(4 * sizeof(float));
    auto* const values = static_cast<float*>(staging->data());
    std::iota(values, values + 4, 1.0F);
    std::unique_ptr<ReadyLaunch> ready;
    program->prepare(launch_on(*memory, 4), ready);
    queue->fill_zero(memory->data(), 4 * sizeof(float));
    queue->upload(memory->data(), std::as_bytes(std::span(values, 3)));
    queue->launch(*ready, nullptr);
    std::vector<float> got(4);
    queue->download(std::as_writable_bytes(std::span(got)), memory->data());
    queue->wait();
    EXPECT_EQ(got, (std::vector<float>{2, 4, 6, 0}));
}

TEST_P(CudaConformance, NumbersStreamsOnceAndForAll) {
    const DriverTable& driver = subject_->driver();
    unsigned long long first = 0, second = 0, again = 0, standard = 0;
    const CUstream stream = subject_->make_stream();
    ASSERT_EQ(driver.cuStreamGetId(stream, &first), CUDA_SUCCESS);
    ASSERT_EQ(driver.cuStreamGetId(subject_->make_stream(), &second), CUDA_SUCCESS);
    ASSERT_EQ(driver.cuStreamGetId(stream, &again), CUDA_SUCCESS);
    ASSERT_EQ(driver.cuStreamGetId(nullptr, &standard), CUDA_SUCCESS);
    EXPECT_EQ(first, again);
    EXPECT_NE(first, second);
    EXPECT_NE(first, standard);
    EXPECT_EQ(driver.cuStreamQuery(stream), CUDA_SUCCESS) << "a stream without work is done";
}

TEST_P(CudaConformance, TellsTheTimeBetweenEvents) {
    const DriverTable& driver = subject_->driver();
    const auto program = load("count");
    const auto memory = device().allocate_zeroed(sizeof(int));
    const CUstream stream = subject_->make_stream();
    CUevent begin = nullptr, end = nullptr;
    ASSERT_EQ(driver.cuEventCreate(&begin, CU_EVENT_DEFAULT), CUDA_SUCCESS);
    ASSERT_EQ(driver.cuEventCreate(&end, CU_EVENT_DEFAULT), CUDA_SUCCESS);
    EXPECT_EQ(driver.cuEventRecordWithFlags(begin, stream, CU_EVENT_RECORD_DEFAULT), CUDA_SUCCESS);
    program->launch(launch_on(*memory, 0), stream);
    EXPECT_EQ(driver.cuEventRecordWithFlags(end, stream, CU_EVENT_RECORD_DEFAULT), CUDA_SUCCESS);
    EXPECT_EQ(driver.cuStreamSynchronize(stream), CUDA_SUCCESS);
    float took_ms = 0;
    EXPECT_EQ(driver.cuEventElapsedTime(&took_ms, begin, end), CUDA_SUCCESS);
    EXPECT_GT(took_ms, 0);
    EXPECT_EQ(driver.cuEventDestroy(begin), CUDA_SUCCESS);
    EXPECT_EQ(driver.cuEventDestroy(end), CUDA_SUCCESS);
}

/// As CudaReplay has it: a graph of two streams waits for what an event stands for when the graph
/// is launched, and so does a stream for an event that the graph records.
TEST_P(CudaConformance, GraphsWaitForEventsOfOtherStreamsAtEachLaunch) {
    constexpr std::size_t kSlow = 64 << 20;
    const DriverTable& driver = subject_->driver();
    const CUstream app = subject_->make_stream();
    std::array<CUstream, 2> captured{};
    std::array<CUevent, 4> events{};
    for (CUstream& stream : captured) {
        ASSERT_EQ(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    }
    for (CUevent& event : events) {
        ASSERT_EQ(driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    }
    const auto [begin, end, forked, joined] = events;
    const auto memory = device().allocate(kSlow);
    const auto address = reinterpret_cast<CUdeviceptr>(memory->data());
    const auto record = [&](CUevent event, CUstream stream, unsigned flags) {
        EXPECT_EQ(driver.cuEventRecordWithFlags(event, stream, flags), CUDA_SUCCESS);
    };
    const auto wait = [&](CUstream stream, CUevent event, unsigned flags) {
        EXPECT_EQ(driver.cuStreamWaitEvent(stream, event, flags), CUDA_SUCCESS);
    };
    ASSERT_EQ(driver.cuStreamBeginCapture(captured[0], CU_STREAM_CAPTURE_MODE_RELAXED),
              CUDA_SUCCESS);
    wait(captured[0], begin, CU_EVENT_WAIT_EXTERNAL);
    record(forked, captured[0], CU_EVENT_RECORD_DEFAULT);
    wait(captured[1], forked, CU_EVENT_WAIT_DEFAULT);
    EXPECT_EQ(driver.cuMemcpyDtoDAsync(address + 8, address, 1, captured[1]), CUDA_SUCCESS);
    record(joined, captured[1], CU_EVENT_RECORD_DEFAULT);
    wait(captured[0], joined, CU_EVENT_WAIT_DEFAULT);
    record(end, captured[0], CU_EVENT_RECORD_EXTERNAL);
    CUgraph graph = nullptr;
    ASSERT_EQ(driver.cuStreamEndCapture(captured[0], &graph), CUDA_SUCCESS);
    std::array<CUgraphExec, 2> replays{};
    for (CUgraphExec& replay : replays) {
        ASSERT_EQ(driver.cuGraphInstantiateWithFlags(&replay, graph, 0), CUDA_SUCCESS);
    }
    constexpr std::size_t kTurns = 6;
    const auto got = device().allocate(kTurns);
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
        for (int slow = 0; slow < 4; ++slow) {  // the app's stream falls behind
            driver.cuMemsetD8Async(address, 0xee, kSlow, app);
        }
        driver.cuMemsetD8Async(address, static_cast<unsigned char>(turn), 1, app);
        record(begin, app, CU_EVENT_RECORD_DEFAULT);
        EXPECT_EQ(driver.cuGraphLaunch(replays[turn % 2], captured[turn % 2]), CUDA_SUCCESS);
        wait(app, end, CU_EVENT_WAIT_DEFAULT);
        driver.cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(got->data()) + turn, address + 8, 1,
                                 app);
    }
    EXPECT_EQ(driver.cuStreamSynchronize(app), CUDA_SUCCESS);
    EXPECT_EQ(driver.cuEventQuery(end), CUDA_SUCCESS);
    EXPECT_EQ((read<std::array<std::uint8_t, kTurns>>(got->data())),
              (std::array<std::uint8_t, kTurns>{0, 1, 2, 3, 4, 5}));
    for (const CUgraphExec replay : replays) {
        EXPECT_EQ(driver.cuGraphExecDestroy(replay), CUDA_SUCCESS);
    }
    EXPECT_EQ(driver.cuGraphDestroy(graph), CUDA_SUCCESS);
    for (const CUstream stream : captured) {
        EXPECT_EQ(driver.cuStreamDestroy(stream), CUDA_SUCCESS);
    }
    for (const CUevent event : events) {
        EXPECT_EQ(driver.cuEventDestroy(event), CUDA_SUCCESS);
    }
}

TEST_P(CudaConformance, AnswersMistakesWithTheSameCodes) {
    const DriverTable& driver = subject_->driver();
    CUdeviceptr memory = 0;
    EXPECT_EQ(driver.cuMemAlloc(&memory, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(driver.cuMemAlloc(&memory, kMoreThanAnyGpuHas), CUDA_ERROR_OUT_OF_MEMORY);
    CUdevice ordinal = 0;
    EXPECT_EQ(driver.cuDeviceGet(&ordinal, 1000), CUDA_ERROR_INVALID_DEVICE);
    CUcontext mine = nullptr;
    ASSERT_EQ(driver.cuCtxPopCurrent(&mine), CUDA_SUCCESS);
    CUstream stream = nullptr;
    EXPECT_EQ(driver.cuCtxGetDevice(&ordinal), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(driver.cuStreamCreate(&stream, CU_STREAM_DEFAULT), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(driver.cuMemAlloc(&memory, 16), CUDA_ERROR_INVALID_CONTEXT);
    ASSERT_EQ(driver.cuCtxPushCurrent(mine), CUDA_SUCCESS);
}

}  // namespace
}  // namespace jitune::internal
