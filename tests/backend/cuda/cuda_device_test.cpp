// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "fake/fake_cuda_fixture.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

class CudaDeviceTest : public FakeCudaFixture {};

TEST_F(CudaDeviceTest, DescribesTheDevice) {
    const DeviceInfo& info = device().info();
    EXPECT_EQ(info.id, "cuda:0");
    EXPECT_EQ(info.name, "NVIDIA H200 (fake)");
    EXPECT_EQ(info.uuid, "GPU-00112233-4455-6677-8899-aabbccddee00");
    EXPECT_EQ(info.driver, "CUDA 13.0");
    EXPECT_EQ(info.device_class,
              "cuda cc=90 sm=132 l2=1048576 bus=6016 memclk=3201000 smem=232448 ecc=1 mps=0");
    EXPECT_EQ(info.attributes.at("compute_capability"), 90);
    EXPECT_EQ(info.attributes.at("shared_bytes_per_block"), 232448);
    EXPECT_EQ(info.attributes.size(), 11U);
}

TEST_F(CudaDeviceTest, RunsACompiledKernelOnUploadedData) {
    EXPECT_EQ(double_on_the_device({1, 2, 3}), (std::vector<float>{2, 4, 6}));
    EXPECT_EQ(fake.launches().back().expression, "twice<float, 3>");
    EXPECT_EQ(fake.launches().back().grid.x, 2U);
    EXPECT_EQ(fake.launches().back().block.x, 64U);
}

TEST_F(CudaDeviceTest, NamesItsCompiler) {
    EXPECT_EQ(device().compiler(), "NVRTC 13.0");
}

TEST_F(CudaDeviceTest, LoadsNvrtcForACompileAlone) {
    static_cast<void>(device().info());
    EXPECT_EQ(nvrtc_loads, 0);
    compile("k<1>");
    compile("k<2>");
    EXPECT_EQ(nvrtc_loads, 1);
}

TEST_F(CudaDeviceTest, KnowsItsCompilerAgainWithoutLoadingIt) {
    const std::string key = device().compiler_key();
    EXPECT_NE(key.find(" file=/"), std::string::npos) << key;
    restart();
    nvrtc_loads = 0;
    EXPECT_TRUE(device().has_compiler(key));
    ::setenv("JITUNE_NVRTC", "libother.so", 1);
    EXPECT_FALSE(device().has_compiler(key));
    ::unsetenv("JITUNE_NVRTC");
    for (const std::string& other : {key + "x", "x" + key, std::string(), std::string(" file=")}) {
        EXPECT_FALSE(device().has_compiler(other)) << other;
    }
    EXPECT_EQ(nvrtc_loads, 0);
}

TEST_F(CudaDeviceTest, RefusesImagesThatAreNone) {
    const Binary good = compile("k<1>");
    for (const auto& [format, image] : std::vector<std::pair<std::string, std::string>>{
             {"cubin", ""},
             {"cubin", "garbage"},
             {"cubin", std::string(4096, '\0')},
             {"cubin", std::string(4096, 'x')},
             {"cubin", good.image->substr(0, 32)},
             {"cubin", with_byte(*good.image, 18, 62)},   // x86-64
             {"cubin", with_byte(*good.image, 4, 1)},     // 32 bits
             {"cubin", with_byte(*good.image, 40, 127)},  // its table of sections is outside
             {"ptx", ""},
             {"ptx", ".version 8.0"},
             {"ptx", std::string("no text at all\0", 15)},
             {"ptx", std::string(".version\0.8\0", 12)},
             {"so", *good.image},
         }) {
        const Binary bad{format, std::make_shared<const std::string>(image), good.symbols};
        expect_error(ErrorKind::device, [&] { device().load(bad); });
    }
    EXPECT_EQ(fake.calls("cuLibraryLoadData"), 0);
}

TEST_F(CudaDeviceTest, ReportsWhatTheDriverThinksOfAnImage) {
    Binary binary = compile("k<1>");
    std::string image = *binary.image;
    image[70] = '!';
    binary.image = std::make_shared<const std::string>(image);
    const std::string message = expect_error(ErrorKind::device, [&] { device().load(binary); });
    EXPECT_EQ(message,
              "load a binary: cuLibraryLoadData: CUDA_ERROR_INVALID_IMAGE (device kernel image is "
              "invalid)");
    binary = compile("k<1>");
    binary.symbols = {"another"};
    expect_error(ErrorKind::device, [&] { device().load(binary); });
}

TEST_F(CudaDeviceTest, AllowsAllTheSharedMemoryOfTheDevice) {
    const auto program = load("k<1>");
    Launch launch = plain_launch();
    launch.steps[0].shared_bytes = 232448;
    program->launch(launch, stream());
    EXPECT_EQ(fake.launches().back().shared_bytes, 232448U);
}

TEST_F(CudaDeviceTest, LaunchesEveryStepWithItsOwnArguments) {
    const auto program =
        device().load(std::get<Binary>(device().compile({}, instances({{"a", "b"}})).at(0)));
    Launch launch = plain_launch();
    launch.steps[1] = launch.steps[0];
    launch.steps[1].entry = 1;
    launch.steps[0].argument_count = 2;
    launch.steps[0].arguments = {2, 0};
    launch.step_count = 2;
    launch.cells = {10, 11, 12};
    program->launch(launch, stream());
    const auto launches = fake.launches();
    ASSERT_EQ(launches.size(), 2U);
    EXPECT_EQ(launches[0].expression, "a");
    EXPECT_EQ(launches[0].arguments, (std::vector<std::uint64_t>{12, 10}));
    EXPECT_EQ(launches[1].expression, "b");
    EXPECT_TRUE(launches[1].arguments.empty());
}

TEST_F(CudaDeviceTest, LaunchesClustersAndProgrammaticStepsWhereAsked) {
    const auto program = load("k<1>");
    Launch launch = plain_launch();
    launch.steps[0].grid.x = 8;
    program->launch(launch, stream());
    launch.steps[0].cluster = 1;
    program->launch(launch, stream());
    launch.steps[0].cluster = 4;
    program->launch(launch, stream());
    launch.steps[0].programmatic = 1;
    program->launch(launch, stream());
    const auto launches = fake.launches();
    ASSERT_EQ(launches.size(), 4U);
    const std::uint32_t clusters[] = {0, 0, 4, 4};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(launches[i].cluster, clusters[i]) << i;
        EXPECT_EQ(launches[i].programmatic, i == 3) << i;
    }
}

TEST_F(CudaDeviceTest, LaunchesCooperativelyWhereAsked) {
    const auto program = load("k<1>");
    Launch launch = plain_launch();
    program->launch(launch, stream());
    launch.steps[0].cooperative = 1;
    program->launch(launch, stream());
    EXPECT_FALSE(fake.launches()[0].cooperative);
    EXPECT_TRUE(fake.launches()[1].cooperative);
}

TEST_F(CudaDeviceTest, CopiesAnArrayIntoAConstantBeforeTheFirstStep) {
    const auto program =
        device().load(std::get<Binary>(device().compile({}, instances({{"k", "&filter"}})).at(0)));
    const auto array = device().allocate(1 << 10);
    Launch launch = plain_launch();
    launch.array_count = 1;
    launch.array_cells[0] = 0;
    launch.cells[0] = reinterpret_cast<std::uintptr_t>(array->data());
    launch.constant_count = 1;
    launch.constants[0] = {.array = 0, .entry = 1, .bytes = 1 << 10};
    const int before = fake.calls("cuMemcpyDtoDAsync");
    program->launch(launch, stream());
    EXPECT_EQ(fake.calls("cuMemcpyDtoDAsync"), before + 1);
    EXPECT_EQ(fake.launches().size(), 1U);
    const auto launching = [&] { program->launch(launch, stream()); };
    launch.constants[0].bytes = (64 << 10) + 1;
    EXPECT_NE(expect_error(ErrorKind::device, launching).find("into the constant"),
              std::string::npos);
    launch.constants[0] = {.array = 0, .entry = 0, .bytes = 4};
    EXPECT_NE(expect_error(ErrorKind::device, launching).find("into the constant"),
              std::string::npos);
    launch.constant_count = 0;
    launch.steps[0].entry = 1;
    EXPECT_NE(expect_error(ErrorKind::device, launching).find("is a constant"), std::string::npos);
    EXPECT_EQ(fake.launches().size(), 1U);
}

TEST_F(CudaDeviceTest, TimesTheLaunchesThatUsersGet) {
    const auto program = load("k<1>");
    std::vector<Launch> chain(2, plain_launch());
    chain[1].steps[0].cluster = 2;
    chain[1].steps[0].programmatic = 1;
    const auto bench = device().make_bench();
    const auto timer = bench->timer(*program, chain, 1, false);
    EXPECT_TRUE(fake.launches().empty());
    EXPECT_GT(std::get<double>(timer->sample(milliseconds(100))), 0);
    const auto launches = fake.launches();
    ASSERT_EQ(launches.size(), 2U);
    EXPECT_FALSE(launches[0].programmatic);
    EXPECT_TRUE(launches[1].programmatic);
    EXPECT_EQ(launches[1].cluster, 2U);
}

TEST_F(CudaDeviceTest, SaysWithTheFirstSampleThatAChainCannotBeCaptured) {
    const auto program = load("k<1>");
    const std::vector<Launch> chain(2, plain_launch());
    const auto bench = device().make_bench();
    for (const char* call : {"cuLaunchKernelEx", "cuStreamEndCapture", "cuGraphInstantiate"}) {
        fake.fail(call, 1, CUDA_ERROR_NOT_SUPPORTED);
        const auto result = bench->timer(*program, chain, 1, false)->sample(milliseconds(100));
        ASSERT_TRUE(std::holds_alternative<LaunchFailure>(result)) << call;
        EXPECT_FALSE(std::get<LaunchFailure>(result).fatal);
        EXPECT_NE(std::get<LaunchFailure>(result).reason.find(call), std::string::npos);
    }
    const auto mended = bench->timer(*program, chain, 1, false)->sample(milliseconds(100));
    EXPECT_TRUE(std::holds_alternative<double>(mended));
}

TEST_F(CudaDeviceTest, LaunchCostsOneDriverCall) {
    const auto program = load("k<1>");
    const int before = fake.total_calls();
    program->launch(plain_launch(), stream());
    EXPECT_EQ(fake.total_calls() - before, 1);
}

TEST_F(CudaDeviceTest, SaysWhetherCallsHaveLaunched) {
    const auto program = load("k<1>");
    const std::vector<Launch> chain(2, plain_launch());
    const auto bench = device().make_bench();
    EXPECT_GT(std::get<double>(bench->timer(*program, chain, 1, false)->sample(milliseconds(100))),
              0);
    EXPECT_FALSE(device().take_launched()) << "a tuning has";
    program->launch(plain_launch(), stream());
    EXPECT_TRUE(device().take_launched());
    EXPECT_FALSE(device().take_launched());
}

TEST_F(CudaDeviceTest, GivesZeroedMemoryOfTheCallersOwn) {
    const auto memory = device().allocate_zeroed(1000);
    EXPECT_EQ(memory->bytes(), 1000U);
    EXPECT_TRUE(all_zero(memory->data(), 1000));
    EXPECT_NE(device().allocate_zeroed(0)->data(), nullptr);
}

TEST_F(CudaDeviceTest, SaysHowMuchMemoryIsMissing) {
    fake.device(0).memory_bytes = 1 << 20;
    const std::string message =
        expect_error(ErrorKind::unavailable, [&] { device().make_bench()->allocate(1 << 21); });
    EXPECT_NE(message.find("2097152 bytes"), std::string::npos) << message;
    EXPECT_NE(message.find("1048576 of 1048576"), std::string::npos) << message;
}

TEST_F(CudaDeviceTest, ReadsAResultBack) {
    const auto memory = device().allocate_zeroed(sizeof(float));
    const float value = 42;
    std::memcpy(memory->data(), &value, sizeof value);
    EXPECT_EQ(read_float(memory->data(), stream()), 42);
    EXPECT_EQ(read_float(memory->data(), nullptr), 42);
}

TEST_F(CudaDeviceTest, WritesAResultThatNoKernelMakes) {
    const auto memory = device().allocate_zeroed(16);
    const std::int64_t value = std::numeric_limits<std::int64_t>::min() + 5;
    device().write(memory->data(), std::as_bytes(std::span(&value, 1)), 1, stream());
    EXPECT_EQ(std::memcmp(memory->data(), &value, sizeof value), 0);
    const float least = -HUGE_VALF;
    device().write(static_cast<char*>(memory->data()) + 8, std::as_bytes(std::span(&least, 1)), 1,
                   nullptr);
    EXPECT_EQ(std::memcmp(static_cast<char*>(memory->data()) + 8, &least, sizeof least), 0);
    EXPECT_TRUE(all_zero(static_cast<char*>(memory->data()) + 12, 4));
}

TEST_F(CudaDeviceTest, TellsFailuresThatEndTheProcessFromThoseThatDoNot) {
    for (const auto& [code, fatal] : std::map<int, bool>{
             {1, false},  {2, false},  {200, false}, {209, false}, {701, false}, {912, false},
             {226, true}, {700, true}, {702, true},  {710, true},  {714, true},  {715, true},
             {716, true}, {717, true}, {718, true},  {719, true},  {721, true},  {810, true},
             {911, true}, {999, true}, {1000, true}}) {
        const CUcontext context = fake.make_context(0);
        fake.make_current(context);
        fake.on_launch = [answer = code](FakeLaunch&) { return static_cast<CUresult>(answer); };
        const auto program = load("k<1>");
        const auto failure =
            device().make_bench()->run(*program, plain_launch(), milliseconds(100));
        ASSERT_TRUE(failure.has_value()) << code;
        EXPECT_EQ(failure->fatal, fatal) << code << failure->reason;
        EXPECT_FALSE(failure->timed_out);
    }
    fake.make_current(nullptr);
}

TEST_F(CudaDeviceTest, GoesOnAfterALaunchThatWasRefused) {
    const auto program = load("k<1>");
    const auto bench = device().make_bench();
    Launch too_large = plain_launch();
    too_large.steps[0].block.x = 2048;
    const auto failure = bench->run(*program, too_large, milliseconds(100));
    ASSERT_TRUE(failure.has_value());
    EXPECT_FALSE(failure->fatal);
    EXPECT_FALSE(bench->run(*program, plain_launch(), milliseconds(100)).has_value());
}

TEST_F(CudaDeviceTest, DoesNotBlameACandidateForAnEarlierError) {
    const auto program = load("k<1>");
    const auto bench = device().make_bench();
    fake.make_current(fake.primary_context(0));
    fake.poison(CUDA_ERROR_ILLEGAL_ADDRESS);
    const auto failure = bench->run(*program, plain_launch(), milliseconds(100));
    ASSERT_TRUE(failure.has_value());
    EXPECT_TRUE(failure->fatal);
    EXPECT_NE(failure->reason.find("before its launch"), std::string::npos) << failure->reason;
    EXPECT_TRUE(fake.launches().empty());
    const std::string message =
        expect_error(ErrorKind::device, [&] { program->launch(plain_launch(), nullptr); });
    EXPECT_NE(message.find("earlier launch"), std::string::npos) << message;
    fake.poison(CUDA_SUCCESS);
    fake.make_current(nullptr);
}

TEST_F(CudaDeviceTest, RunsNoProgramOfAnotherDevice) {
    class Foreign final : public Program {
        void prepare(const Launch&, std::unique_ptr<ReadyLaunch>&) const override {}
    };
    expect_error(ErrorKind::usage,
                 [&] { device().make_bench()->run(Foreign(), plain_launch(), milliseconds(1)); });
}

}  // namespace
}  // namespace jitune::internal
