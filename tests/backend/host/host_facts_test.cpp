// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_facts.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

std::string cpuinfo(const std::string& model, const std::string& flags) {
    return "processor\t: 0\nvendor_id\t: Maker\ncpu family\t: 6\nmodel\t\t: " + model +
           "\nmodel name\t: Maker CPU\nstepping\t: 1\nflags\t\t: " + flags +
           "\n\nprocessor\t: 1\nflags\t\t: none\n";
}

DeviceInfo described(const std::string& text, std::int64_t cores = 4) {
    return describe_host({text, cores, 1 << 20, "Linux 6.1"});
}

TEST(HostFacts, KnowsTheVectorWidth) {
    EXPECT_EQ(described(cpuinfo("1", "fpu sse2")).attributes.at("simd_bytes"), 16);
    EXPECT_EQ(described(cpuinfo("1", "sse2 avx avx2")).attributes.at("simd_bytes"), 32);
    EXPECT_EQ(described(cpuinfo("1", "avx512f avx2")).attributes.at("simd_bytes"), 64);
    EXPECT_EQ(described("").attributes.at("simd_bytes"), 16);
    EXPECT_EQ(described("").attributes.at("cores"), 4);
}

TEST(HostFacts, TellsApartWhateverNativeCodeDependsOn) {
    const DeviceInfo info = described(cpuinfo("1", "avx2 fma"));
    EXPECT_EQ(info.id, "host");
    EXPECT_EQ(info.name, "Maker CPU");
    EXPECT_EQ(info.driver, "Linux 6.1");
    EXPECT_NE(info.device_class.find("isa=avx2"), std::string::npos) << info.device_class;
    EXPECT_NE(info.device_class.find("model=Maker/6/1/1 cores=4 cache=1048576"), std::string::npos)
        << info.device_class;
    EXPECT_EQ(info.device_class, described(cpuinfo("1", "avx2 fma")).device_class);
    EXPECT_NE(info.device_class, described(cpuinfo("1", "avx2")).device_class);
    EXPECT_NE(info.device_class, described(cpuinfo("2", "avx2 fma")).device_class);
    EXPECT_NE(info.device_class, described(cpuinfo("1", "avx2 fma"), 8).device_class);
}

TEST(HostFacts, ReadsWhatAnArmKernelWrites) {
    const DeviceInfo info = described(
        "processor\t: 0\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\n"
        "CPU variant\t: 0x0\nCPU part\t: 0xd4f\nCPU revision\t: 1\n");
    EXPECT_EQ(info.name, "0x41/0x0/0xd4f/1");
    EXPECT_EQ(info.attributes.at("simd_bytes"), 16);
    EXPECT_NE(info.device_class.find("isa=asimd"), std::string::npos) << info.device_class;
}

TEST(HostFacts, AClassTellsTheAttributes) {
    for (const DeviceInfo& info :
         {described(cpuinfo("1", "fpu sse2")), described(cpuinfo("1", "avx512f avx2"), 64),
          described(""), describe_host(this_host())}) {
        const auto read = host_of_class(info.device_class);
        ASSERT_TRUE(read) << info.device_class;
        EXPECT_EQ(read->attributes, info.attributes) << info.device_class;
        EXPECT_EQ(read->device_class, info.device_class);
        EXPECT_EQ(read->platform, info.platform);
    }
    EXPECT_FALSE(host_of_class("fake"));
    EXPECT_FALSE(host_of_class("host isa=avx2 cores=4"));
    EXPECT_FALSE(host_of_class("machine " + described("").device_class));
}

TEST(HostFacts, SayWhatAHostWithoutProcDoesNotTell) {
    EXPECT_EQ(missing_facts({cpuinfo("1", "avx2"), 4, 1 << 20, "Linux 6.1"}), "");
    EXPECT_NE(missing_facts({}).find("winners that were stored where /proc is mounted"),
              std::string::npos);
}

TEST(HostFacts, DescribesThisMachine) {
    const DeviceInfo info = describe_host(this_host());
    EXPECT_GE(info.attributes.at("cores"), 1);
    EXPECT_GE(info.attributes.at("cache_bytes"), 1 << 16);
    if (!std::filesystem::exists("/sys/devices/system/cpu/cpu0/cache")) {
        EXPECT_LE(info.attributes.at("cache_bytes"), 32 << 20) << "not the sum of a socket";
    }
    EXPECT_FALSE(info.name.empty());
}

TEST(RecentLeast, IsOfTheLastOneToTwoPeriods) {
    RecentLeast least(std::chrono::seconds(30));
    const RecentLeast::Clock::time_point start{std::chrono::seconds(1000)};
    EXPECT_EQ(least.add(5, start), 5);
    EXPECT_EQ(least.add(7, start + std::chrono::seconds(1)), 5);
    EXPECT_EQ(least.add(4, start + std::chrono::seconds(2)), 4);
    EXPECT_EQ(least.add(7, start + std::chrono::seconds(31)), 4);
    EXPECT_EQ(least.add(8, start + std::chrono::seconds(60)), 4);
    EXPECT_EQ(least.add(8, start + std::chrono::seconds(62)), 7) << "the 4 is too old";
    EXPECT_EQ(least.add(9, start + std::chrono::seconds(200)), 9) << "all others are";
}

TEST(ProcessorSlowdown, IsOneOrMore) {
    for (int i = 0; i < 100; ++i) {
        EXPECT_GE(processor_slowdown(), 1);
    }
}

}  // namespace
}  // namespace jitune::internal
