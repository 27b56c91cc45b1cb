// SPDX-License-Identifier: Apache-2.0
#include <elf.h>

#include <cstddef>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "fixtures/host_fixture.hpp"

namespace jitune::internal {
namespace {

TEST_F(HostDeviceTest, CompilesLoadsAndLaunches) {
    EXPECT_EQ(platform_->device_count(), 1);
    EXPECT_EQ(platform_->missing(), "");
    const auto scale = program(kScale, "scale<6>");
    const int value = 7;
    int result = 0;
    scale->launch(launch_with(&value, &result), nullptr);
    EXPECT_EQ(result, 42);
}

TEST_F(HostDeviceTest, GivesTheOptionsOfInstancesToTheCompiler) {
    const TemplateSource source{"test.host.cpp", "void f(int* to) { *to = kWanted; }", {}};
    Instance instance{{"f"}};
    EXPECT_TRUE(std::holds_alternative<CompileFailure>(device().compile(source, {{instance}})[0]));
    instance.options = {"-DkWanted=42"};
    EXPECT_TRUE(std::holds_alternative<Binary>(device().compile(source, {{instance}})[0]));
}

TEST_F(HostDeviceTest, CountsTheProcessorTimeOfItsThreads) {
    const auto work = [] {
        const clock_t start = std::clock();
        while (std::clock() - start < CLOCKS_PER_SEC / 10) {
        }
    };
    work();
    const auto before = device().make_bench()->processor_use();
    if (!before || before->ran.count() == 0) {
        GTEST_SKIP() << "the system counts no waits for processors";
    }
    work();
    const auto after = device().make_bench()->processor_use().value();
    EXPECT_GE(after.ran - before->ran, std::chrono::milliseconds(50));
    const auto taken = device().utilization();
    EXPECT_TRUE(!taken || (*taken >= 0 && *taken <= 1));
}

TEST_F(HostDeviceTest, HandsOverScalarsOfEverySize) {
    const auto store = program(R"(
        void store(signed char a, int b, unsigned long long c, float d, double e, double* result) {
            result[0] = a, result[1] = b, result[2] = double(c), result[3] = d, result[4] = e;
        })",
                               "store");
    double result[5] = {};
    store->launch(launch_with(static_cast<signed char>(-1), -70000, std::uint64_t{1} << 40, 0.5F,
                              0.25, &result[0]),
                  nullptr);
    EXPECT_EQ(result[0], -1);
    EXPECT_EQ(result[1], -70000);
    EXPECT_EQ(result[2], 1099511627776.0);
    EXPECT_EQ(result[3], 0.5);
    EXPECT_EQ(result[4], 0.25);
}

TEST_F(HostDeviceTest, RunsTheStepsOfALaunchInOrder) {
    const TemplateSource source{"steps.host.cpp",
                                R"(
        void set(int* value, int to) { *value = to; }
        void twice(int* value) { *value *= 2; })",
                                {}};
    const auto outcomes = device().compile(source, {{Instance{{"set", "twice"}}}});
    const auto steps = device().load(std::get<Binary>(outcomes.front()));
    int value = 0;
    Launch launch = launch_with(&value, 21);
    launch.steps[1].entry = 1;
    launch.steps[1].argument_count = 1;
    launch.step_count = 2;
    steps->launch(launch, nullptr);
    EXPECT_EQ(value, 42);
}

TEST_F(HostDeviceTest, FindsTheHeadersOfATemplate) {
    const TemplateSource source{
        "headers.host.cpp",
        "#include \"one.h\"\n#include \"more/two.h\"\nvoid f(int* r) { *r = kOne + kTwo; }",
        {{"one.h", "constexpr int kOne = 1;"}, {"more/two.h", "constexpr int kTwo = 2;"}}};
    const auto outcomes = device().compile(source, {{Instance{{"f"}}}});
    const auto f = device().load(std::get<Binary>(outcomes.front()));
    int result = 0;
    f->launch(launch_with(&result), nullptr);
    EXPECT_EQ(result, 3);
}

TEST_F(HostDeviceTest, AHeaderOfASubFolderNamesOthersFromTheTemplatesFolder) {
    const TemplateSource source{
        "headers.host.cpp",
        "#include \"more/two.h\"\nvoid f(int* r) { *r = kOne; }",
        {{"more/one.h", "constexpr int kOne = 1;"}, {"more/two.h", "#include \"more/one.h\"\n"}}};
    const auto outcomes = device().compile(source, {{Instance{{"f"}}}});
    const auto f = device().load(std::get<Binary>(outcomes.front()));
    int result = 0;
    f->launch(launch_with(&result), nullptr);
    EXPECT_EQ(result, 1);
}

TEST_F(HostDeviceTest, ABadInstanceCostsOnlyItself) {
    const TemplateSource source{"bad.host.cpp",
                                "template <int kSize>\nvoid f(int* r) {\n"
                                "    static_assert(kSize > 0, \"too small\");\n    *r = kSize;\n}",
                                {}};
    const std::vector<Instance> instances{{{"f<1>"}}, {{"f<0>"}}, {{"f<3>"}}};
    const auto outcomes = device().compile(source, instances);
    ASSERT_EQ(outcomes.size(), 3U);
    const std::string log = std::get<CompileFailure>(outcomes[1]).log;
    EXPECT_NE(log.find("too small"), std::string::npos) << log;
    EXPECT_NE(log.find("bad.host.cpp:3"), std::string::npos) << log;
    for (const int size : {1, 3}) {
        const auto& outcome = outcomes[static_cast<std::size_t>(size) - 1];
        int result = 0;
        device().load(std::get<Binary>(outcome))->launch(launch_with(&result), nullptr);
        EXPECT_EQ(result, size);
    }
}

TEST_F(HostDeviceTest, InstancesOfOneCompilationShareAnImage) {
    const std::vector<Instance> instances{{{"scale<2>"}}, {{"scale<3>"}}};
    const auto outcomes = device().compile({"test.host.cpp", kScale, {}}, instances);
    EXPECT_EQ(std::get<Binary>(outcomes[0]).image, std::get<Binary>(outcomes[1]).image);
    EXPECT_EQ(std::get<Binary>(outcomes[0]).format, "so");
}

TEST_F(HostDeviceTest, RefusesExpressionsThatAreMoreThanANameAndItsArguments) {
    const std::vector<std::string> hostile{
        "scale<1>\n#include \"/etc/hostname\"",
        std::string("scale<1>\0", 9),
        "scale<1>#",
        "scale<1>, arguments); int x = 0; call(&scale<2>",
        "scale<1>, arguments, count) + (0",
        "scale<1> // ",
        "scale<'1'>",
        "scale<1>\\",
        "scale<1>{}",
    };
    for (const std::string& expression : hostile) {
        const auto outcomes = device().compile({"test.host.cpp", kScale, {}},
                                               {{Instance{{expression}}, Instance{{"scale<2>"}}}});
        const auto* failure = std::get_if<CompileFailure>(&outcomes[0]);
        ASSERT_NE(failure, nullptr) << expression;
        EXPECT_NE(failure->log.find("refused"), std::string::npos) << failure->log;
        EXPECT_TRUE(std::holds_alternative<Binary>(outcomes[1]));
    }
    EXPECT_TRUE(std::holds_alternative<CompileFailure>(compile(kScale, "scale<1>, scale<2>")));
}

TEST_F(HostDeviceTest, RefusesImagesThatAreNotOfThisMachine) {
    const std::string good = *binary(kScale, "scale<1>").image;
    expect_refused("");
    expect_refused(
        "\x7f"
        "ELF");
    expect_refused(std::string(100'000, 'x'));
    // What comes after the first half may be for debuggers only, and the loader does not miss it.
    for (std::size_t size = 0; size < good.size() / 2; size += 997) {
        expect_refused(good.substr(0, size));
    }
    std::string other = good;
    other[offsetof(Elf64_Ehdr, e_machine)] = EM_S390;
    expect_refused(other);
    other = good;
    other[offsetof(Elf64_Ehdr, e_type)] = ET_EXEC;
    expect_refused(other);
    other = good;
    other[offsetof(Elf64_Ehdr, e_ident) + EI_CLASS] = ELFCLASS32;
    expect_refused(other);
    other = good;
    std::memset(other.data() + offsetof(Elf64_Ehdr, e_phoff), 0xff, 8);
    expect_refused(other);
}

TEST_F(HostDeviceTest, RefusesOtherFormatsAndSymbols) {
    Binary other = binary(kScale, "scale<1>");
    other.symbols = {"jitune_entry_7_0"};
    expect_error(ErrorKind::device, "jitune_entry_7_0", [&] { device().load(other); });
    other.symbols = {"abort"};
    expect_error(ErrorKind::device, "abort", [&] { device().load(other); });
    other.format = "cubin";
    expect_error(ErrorKind::device, "cubin", [&] { device().load(other); });
}

TEST_F(HostDeviceTest, RefusesALaunchWithTheWrongNumberOfArguments) {
    const auto scale = program(kScale, "scale<1>");
    int result = 5;
    expect_error(ErrorKind::device, "takes 2 arguments",
                 [&] { scale->launch(launch_with(&result), nullptr); });
    Launch other = launch_with(&result, &result);
    other.steps[0].entry = 1;
    expect_error(ErrorKind::device, "entry 1 of a program", [&] { scale->launch(other, nullptr); });
    EXPECT_EQ(result, 5);
}

TEST_F(HostDeviceTest, MapsIdenticalImagesOnce) {
    const Binary counter = binary(kCounter, "count");
    int first = 0, second = 0;
    device().load(counter)->launch(launch_with(&first), nullptr);
    device().load(counter)->launch(launch_with(&second), nullptr);
    EXPECT_EQ(second, first + 1) << "another test may have mapped and called it before";
}

TEST_F(HostDeviceTest, KeepsDifferentImagesApart) {
    // Loaded one after the other, they pass through the same file descriptor.
    std::vector<std::shared_ptr<const Program>> programs;
    for (int factor = 1; factor <= 4; ++factor) {
        programs.push_back(program(kScale, "scale<" + std::to_string(factor) + ">"));
    }
    for (int factor = 1; factor <= 4; ++factor) {
        const int value = 10;
        int result = 0;
        programs[static_cast<std::size_t>(factor) - 1]->launch(launch_with(&value, &result),
                                                               nullptr);
        EXPECT_EQ(result, 10 * factor);
    }
}

TEST_F(HostDeviceTest, KeepsScratchForEachThread) {
    const Scratch first = platform_->site(nullptr).scratch({100, 1000});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.plain) % 256, 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.zeroed) % 256, 0U);
    const std::string zeros(1000, '\0');
    EXPECT_EQ(std::memcmp(first.zeroed, zeros.data(), zeros.size()), 0);
    const Scratch again = platform_->site(nullptr).scratch({50, 500});
    EXPECT_EQ(again.plain, first.plain);
    EXPECT_EQ(again.zeroed, first.zeroed);
    std::thread([&] {
        EXPECT_NE(platform_->site(nullptr).scratch({100, 1000}).zeroed, first.zeroed);
    }).join();
}

TEST_F(HostDeviceTest, ReadsAndWritesItsMemory) {
    const auto memory = device().allocate_zeroed(1000);
    const std::string zeros(1000, '\0');
    EXPECT_EQ(std::memcmp(memory->data(), zeros.data(), zeros.size()), 0);
    const std::int64_t value = 42;
    std::int64_t result = 0;
    device().write(memory->data(), std::as_bytes(std::span(&value, 1)), 1, nullptr);
    device().read_back(std::as_writable_bytes(std::span(&result, 1)), memory->data(), nullptr);
    EXPECT_EQ(result, 42);
}

}  // namespace
}  // namespace jitune::internal
