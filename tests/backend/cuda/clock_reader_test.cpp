// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/clock_reader.hpp"

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
    return table;
}

class ClockReaderTest : public testing::Test {
protected:
    ClockReaderTest() { nvml = FakeNvml{}; }

    ClockReader reader_{load_fake, "GPU-1", Log(LogLevel::off)};
};

TEST_F(ClockReaderTest, ReadsTheClockAndLoadsNvmlOnce) {
    EXPECT_EQ(nvml.loads, 0);
    ASSERT_TRUE(reader_.read().has_value());
    EXPECT_EQ(reader_.read()->mhz, 1980U);
    EXPECT_FALSE(reader_.read()->held_down);
    EXPECT_EQ(nvml.loads, 1);
}

TEST_F(ClockReaderTest, TellsPowerAndHeatFromOtherReasons) {
    for (const unsigned long long reason : {0x4, 0x8, 0x20, 0x40, 0x80, 0x84}) {
        nvml.reasons = reason;
        EXPECT_TRUE(reader_.read()->held_down) << reason;
    }
    for (const unsigned long long reason : {0x1, 0x2, 0x10, 0x100}) {
        nvml.reasons = reason;
        EXPECT_FALSE(reader_.read()->held_down) << reason;
    }
}

TEST_F(ClockReaderTest, SaysNothingWhereNvmlDoesNot) {
    nvml.answer = 3;  // NVML_ERROR_NOT_SUPPORTED
    EXPECT_FALSE(reader_.read().has_value());
    nvml.answer = kNvmlSuccess;
    nvml.mhz = 0;
    EXPECT_FALSE(reader_.read().has_value());
}

TEST_F(ClockReaderTest, SaysNothingOfADeviceThatNvmlDoesNotKnow) {
    ClockReader other(load_fake, "GPU-2", Log(LogLevel::off));
    EXPECT_FALSE(other.read().has_value());
    EXPECT_FALSE(other.read().has_value());
    EXPECT_EQ(nvml.loads, 1);
}

TEST_F(ClockReaderTest, SaysNothingWhereNvmlDoesNotStartOrIsMissing) {
    nvml.init = 9;
    EXPECT_FALSE(reader_.read().has_value());
    ClockReader none(
        []() -> std::shared_ptr<const NvmlTable> {
            throw Error(ErrorKind::unavailable, "dlopen: no such file");
        },
        "GPU-1", Log(LogLevel::off));
    EXPECT_FALSE(none.read().has_value());
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
