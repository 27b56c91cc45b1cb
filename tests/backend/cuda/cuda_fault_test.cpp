// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include <gtest/gtest.h>

#include "fake/fake_cuda_fixture.hpp"

// Makes every call of a sequence fail in turn, with an error the context survives and with one it
// does not: the answer is an Error of the right kind, a LaunchFailure, or right; nothing leaks; the
// current context is what it was.

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

struct Sequence {
    const char* name;
    /// Throws Error, as for a LaunchFailure, which it turns into one.
    std::function<void(Platform&)> run;
};

std::ostream& operator<<(std::ostream& out, const Sequence& sequence) {
    return out << sequence.name;
}

Launch one_cell_launch(const DeviceMemory& memory) {
    Launch launch{};
    launch.step_count = 1;
    launch.steps[0].grid = {1, 1, 1};
    launch.steps[0].block = {1, 1, 1};
    launch.steps[0].argument_count = 1;
    launch.cells[0] = reinterpret_cast<std::uintptr_t>(memory.data());
    return launch;
}

std::shared_ptr<const Program> load_increment(Device& device) {
    const Instance instance{{"increment"}};
    const CompileOutcome outcome = device.compile({}, {&instance, 1}).at(0);
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
        throw Error(ErrorKind::compile, failure->log);
    }
    return device.load(std::get<Binary>(outcome));
}

void require(bool right) {
    if (!right) {
        ADD_FAILURE() << "a wrong result was given as right";
    }
}

int read_int(Device& device, const DeviceMemory& memory) {
    int value = -1;
    device.read_back(std::as_writable_bytes(std::span(&value, 1)), memory.data(), nullptr);
    return value;
}

void dispatch(Platform& platform) {
    Device& device = platform.site(nullptr).device();
    const auto program = load_increment(device);
    const auto memory = device.allocate_zeroed(sizeof(int));
    program->launch(one_cell_launch(*memory), nullptr);
    require(read_int(device, *memory) == 1);
}

void use_scratch(Platform& platform) {
    for (const std::size_t bytes : {100U, 1000U}) {
        const Scratch scratch = platform.site(nullptr).scratch({.plain = bytes, .zeroed = bytes});
        const auto* zeroed = static_cast<const char*>(scratch.zeroed);
        require(std::all_of(zeroed, zeroed + bytes, [](char c) { return c == 0; }));
    }
}

void bench(Platform& platform) {
    Device& device = platform.device(0);
    const auto program = load_increment(device);
    const auto bench = device.make_bench();
    const auto memory = bench->allocate(sizeof(int));
    const auto copy = bench->allocate(sizeof(int));
    int value = 41;
    bench->fill(memory->data(), std::byte{0}, sizeof value);
    bench->upload(memory->data(), std::as_bytes(std::span(&value, 1)));
    if (const auto failure = bench->run(*program, one_cell_launch(*memory), milliseconds(100))) {
        throw Error(ErrorKind::device, failure->reason, failure->native_code);
    }
    bench->copy(copy->data(), memory->data(), sizeof value);
    bench->download(std::as_writable_bytes(std::span(&value, 1)), copy->data());
    require(value == 42);
}

void time_with(Platform& platform, bool flush_cache) {
    Device& device = platform.device(0);
    const auto program = load_increment(device);
    const auto bench = device.make_bench();
    const auto memory = bench->allocate(sizeof(int));
    bench->fill(memory->data(), std::byte{0}, sizeof(int));
    const std::vector<Launch> chain(3, one_cell_launch(*memory));
    const auto timer = bench->timer(*program, chain, 1, flush_cache);
    const auto result = timer->sample(milliseconds(100));
    if (const auto* failure = std::get_if<LaunchFailure>(&result)) {
        throw Error(ErrorKind::device, failure->reason, failure->native_code);
    }
    require(std::abs(std::get<double>(result) - 1000) < 1);
}

const std::vector<Sequence> kSequences{
    {"dispatch", dispatch},
    {"scratch", use_scratch},
    {"bench", bench},
    {"warm_timer", [](Platform& platform) { time_with(platform, false); }},
    {"cold_timer", [](Platform& platform) { time_with(platform, true); }},
};

class CudaFault : public ::testing::TestWithParam<Sequence> {
protected:
    /// The fake fails with `result`, or with an internal error of NVRTC. After a failure a driver
    /// call may be repeated without a context, which has a code of its own.
    static void expect_injected(const Error& error, CUresult result) {
        const NativeCode code = error.native_code();
        const std::vector<NativeCode> expected{
            {NativeCode::Source::nvrtc, NVRTC_ERROR_INTERNAL_ERROR},
            {NativeCode::Source::cuda, result},
            {NativeCode::Source::cuda, CUDA_ERROR_INVALID_CONTEXT}};
        EXPECT_NE(std::find(expected.begin(), expected.end(), code), expected.end())
            << error.what() << ": " << code.value;
    }

    /// Runs the sequence on a new fake with the n-th call failing; true if there was an n-th.
    bool run_with_failing_call(int nth, CUresult result, int current) {
        FakeCuda fake(2);
        fake.on_launch = [](FakeLaunch& launch) {
            ++*reinterpret_cast<int*>(launch.arguments.at(0));
            return CUDA_SUCCESS;
        };
        const CUcontext before = current < 0 ? nullptr : fake.make_context(current);
        fake.make_current(before);
        fake.fail_nth_call(nth, result);
        auto platform = make_cuda_platform(fake.tables(), Log(LogLevel::off));
        try {
            GetParam().run(*platform);
        } catch (const Error& error) {
            EXPECT_NE(error.kind(), ErrorKind::usage) << error.what();
            EXPECT_NE(error.kind(), ErrorKind::not_prepared) << error.what();
            if (error.kind() != ErrorKind::compile) {  // a compiler's log has no code
                expect_injected(error, result);
            }
        }
        EXPECT_EQ(fake.current(), before) << "call " << nth;
        platform.reset();
        EXPECT_EQ(fake.leaks(), std::vector<std::string>{}) << "call " << nth;
        EXPECT_EQ(fake.violations(), std::vector<std::string>{}) << "call " << nth;
        const bool failed = fake.total_calls() >= nth;
        fake.make_current(nullptr);
        return failed;
    }

    int fail_every_call(CUresult result, int current) {
        int nth = 1;
        while (run_with_failing_call(nth, result, current)) {
            ++nth;
        }
        return nth - 1;
    }
};

TEST_P(CudaFault, OfEachCallWithoutAContext) {
    EXPECT_GT(fail_every_call(CUDA_ERROR_INVALID_VALUE, -1), 20);
}

TEST_P(CudaFault, OfEachCallInTheAppsContext) {
    EXPECT_GT(fail_every_call(CUDA_ERROR_LAUNCH_FAILED, 0), 20);
}

TEST_P(CudaFault, OfEachCallForLackOfMemory) {
    EXPECT_GT(fail_every_call(CUDA_ERROR_OUT_OF_MEMORY, -1), 20);
}

TEST_P(CudaFault, OfEachCallForLackOfAContext) {
    EXPECT_GT(fail_every_call(CUDA_ERROR_INVALID_CONTEXT, 0), 20);
}

INSTANTIATE_TEST_SUITE_P(Sequences, CudaFault, ::testing::ValuesIn(kSequences),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace jitune::internal
