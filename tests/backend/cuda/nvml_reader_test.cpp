// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/nvml_reader.hpp"

#include <string>

#include "fake/fake_cuda_fixture.hpp"

namespace jitune::internal {
namespace {

/// What the fake NVML, functions without state of their own, answers.
struct FakeNvml {
    int init = kNvmlSuccess;
    std::string uuid = "GPU-1";
    unsigned mhz = 1980;
    unsigned long long reasons = 0;
    unsigned use = 0;
    unsigned long long millijoules = 0;
    int answer = kNvmlSuccess;  ///< to questions
    int loads = 0;
};
FakeNvml nvml;

std::shared_ptr<const NvmlTable> load_fake() {
    ++nvml.loads;
    auto table = std::make_shared<NvmlTable>();
    table->init = [] { return nvml.init; };
    table->device_by_uuid = [](const char* uuid, NvmlDevice* device) {
        *device = nullptr;
        return nvml.uuid == uuid ? kNvmlSuccess : 6;
    };
    table->clock_mhz = [](NvmlDevice, int domain, unsigned* mhz) {
        *mhz = domain == kNvmlClockSm ? nvml.mhz : 1;
        return nvml.answer;
    };
    table->throttle_reasons = [](NvmlDevice, unsigned long long* reasons) {
        *reasons = nvml.reasons;
        return nvml.answer;
    };
    table->utilization = [](NvmlDevice, NvmlUtilization* rates) {
        *rates = {nvml.use, 99};
        return nvml.answer;
    };
    table->energy = [](NvmlDevice, unsigned long long* millijoules) {
        *millijoules = nvml.millijoules;
        return nvml.answer;
    };
    return table;
}

class NvmlReaderTest : public testing::Test {
protected:
    NvmlReaderTest() { nvml = FakeNvml{}; }

    NvmlReader reader_{load_fake, "GPU-1", Log(LogLevel::off)};
};

TEST_F(NvmlReaderTest, ReadsTheClockAndLoadsNvmlOnce) {
    EXPECT_EQ(nvml.loads, 0);
    ASSERT_TRUE(reader_.clocks().has_value());
    EXPECT_EQ(reader_.clocks()->mhz, 1980U);
    EXPECT_FALSE(reader_.clocks()->held_down);
    EXPECT_EQ(nvml.loads, 1);
}

TEST_F(NvmlReaderTest, TellsPowerAndHeatFromOtherReasons) {
    for (const unsigned long long reason : {0x4, 0x8, 0x20, 0x40, 0x80, 0x84}) {
        nvml.reasons = reason;
        EXPECT_TRUE(reader_.clocks()->held_down) << reason;
    }
    for (const unsigned long long reason : {0x1, 0x2, 0x10, 0x100}) {
        nvml.reasons = reason;
        EXPECT_FALSE(reader_.clocks()->held_down) << reason;
    }
}

TEST_F(NvmlReaderTest, ReadsTheShareOfTimeInWhichTheDeviceWorked) {
    EXPECT_EQ(reader_.utilization(), 0.0);
    nvml.use = 25;
    EXPECT_EQ(reader_.utilization(), 0.25);
    EXPECT_EQ(nvml.loads, 1);
    nvml.answer = 3;  // NVML_ERROR_NOT_SUPPORTED
    EXPECT_EQ(reader_.utilization(), std::nullopt);
    EXPECT_EQ(NvmlReader(load_fake, "GPU-2", Log(LogLevel::off)).utilization(), std::nullopt);
}

TEST_F(NvmlReaderTest, ReadsTheEnergyInJoules) {
    nvml.millijoules = 12'345'678;
    EXPECT_EQ(reader_.energy_j(), 12345.678);
    nvml.answer = 3;  // NVML_ERROR_NOT_SUPPORTED
    EXPECT_EQ(reader_.energy_j(), std::nullopt);
    EXPECT_EQ(NvmlReader(load_fake, "GPU-2", Log(LogLevel::off)).energy_j(), std::nullopt);
}

TEST_F(NvmlReaderTest, SaysNothingWhereNvmlDoesNot) {
    nvml.answer = 3;  // NVML_ERROR_NOT_SUPPORTED
    EXPECT_FALSE(reader_.clocks().has_value());
    nvml.answer = kNvmlSuccess;
    nvml.mhz = 0;
    EXPECT_FALSE(reader_.clocks().has_value());
}

TEST_F(NvmlReaderTest, SaysNothingOfADeviceThatNvmlDoesNotKnow) {
    NvmlReader other(load_fake, "GPU-2", Log(LogLevel::off));
    EXPECT_FALSE(other.clocks().has_value());
    EXPECT_FALSE(other.clocks().has_value());
    EXPECT_EQ(nvml.loads, 1);
}

TEST_F(NvmlReaderTest, SaysNothingWhereNvmlDoesNotStartOrIsMissing) {
    nvml.init = 9;
    EXPECT_FALSE(reader_.clocks().has_value());
    NvmlReader none(
        []() -> std::shared_ptr<const NvmlTable> {
            throw Error(ErrorKind::unavailable, "dlopen: no such file");
        },
        "GPU-1", Log(LogLevel::off));
    EXPECT_FALSE(none.clocks().has_value());
}

class BenchClocks : public FakeCudaFixture {};

TEST_F(BenchClocks, AreThoseOfItsDevice) {
    nvml = FakeNvml{};
    EXPECT_FALSE(device().make_bench()->clocks().has_value());  // the fake driver has no NVML
    EXPECT_EQ(device().make_bench()->chain_kind(), "graph");
    CudaTables tables = fake.tables();
    tables.nvml = load_fake;
    platform = make_cuda_platform(tables, Log(LogLevel::off));
    nvml.uuid = device().info().uuid;
    EXPECT_EQ(device().make_bench()->clocks().value().mhz, 1980U);
}

}  // namespace
}  // namespace jitune::internal
