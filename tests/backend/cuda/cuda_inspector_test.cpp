// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/cuda_inspector.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

const char* const kLog =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function '_Z1kPfi' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z1kPfi\n"
    "ptxas         .     1160 bytes stack frame, 1088 bytes spill stores, 1244 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 3 barriers, 1160 bytes cumulative stack size, 512 "
    "bytes smem\n"
    "ptxas info    : Compiling entry function '_Z1k' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z1k\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 8 registers, used 0 barriers\n";

TEST(PtxasLog, ReadsTheResourcesOfOneKernel) {
    const auto inspector = make_cuda_inspector();
    const auto found = inspector->resources(kLog, "_Z1kPfi");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->registers, 32);
    EXPECT_EQ(found->shared_bytes, 512);
    EXPECT_EQ(found->stack_bytes, 1160);
    EXPECT_EQ(found->barriers, 3);
    EXPECT_EQ(found->spill_store_bytes, 1088);
    EXPECT_EQ(found->spill_load_bytes, 1244);
    const auto other = inspector->resources(kLog, "_Z1k");
    ASSERT_TRUE(other);
    EXPECT_EQ(other->registers, 8);
    EXPECT_EQ(other->shared_bytes, 0);
    EXPECT_EQ(other->stack_bytes, 0);
    EXPECT_FALSE(inspector->resources(kLog, "_Z2kk"));
    EXPECT_FALSE(inspector->resources("", "_Z1k"));
}

TEST(CudaInspector, DescribesADeviceOfEachArchitecture) {
    const auto inspector = make_cuda_inspector();
    for (const std::string& name : inspector->architectures()) {
        const auto device = inspector->device(name);
        ASSERT_TRUE(device) << name;
        EXPECT_EQ("sm_" + std::to_string(device->attributes.at("compute_capability")), name);
        const auto occupancy = inspector->occupancy(*device, {.registers = 32}, 256, 0);
        ASSERT_TRUE(occupancy) << name;
        EXPECT_EQ(occupancy->share, 1) << name;
    }
    EXPECT_FALSE(inspector->device("sm_20"));
}

TEST(CudaInspector, DescribesADeviceOfAClass) {
    const auto inspector = make_cuda_inspector();
    const std::string text =
        "cuda cc=90 sm=114 l2=52428800 bus=5120 memclk=1593000 smem=232448 ecc=1 mps=0";
    const auto device = inspector->device_of_class(text);
    ASSERT_TRUE(device);
    EXPECT_EQ(device->device_class, text);
    auto expected = inspector->device("sm_90").value().attributes;
    expected["sm_count"] = 114;
    expected["l2_bytes"] = 52428800;
    expected["memory_bus_bits"] = 5120;
    expected["memory_clock_khz"] = 1593000;
    expected["shared_bytes_per_block"] = 232448;
    EXPECT_EQ(device->attributes, expected);
    EXPECT_FALSE(inspector->device_of_class("cuda cc=90 sm=114"));
    EXPECT_FALSE(inspector->device_of_class("cuda cc=20" + text.substr(10)));
    EXPECT_FALSE(inspector->device_of_class("machine" + text.substr(4)));
}

TEST(CudaInspector, SaysWhatLimitsTheOccupancy) {
    const auto inspector = make_cuda_inspector();
    const DeviceInfo h100 = inspector->device("sm_90").value();
    const auto of = [&](KernelResources used, std::int64_t threads, std::int64_t dynamic) {
        return inspector->occupancy(h100, used, threads, dynamic).value();
    };
    EXPECT_EQ(of({.registers = 128}, 256, 0).blocks_per_sm, 2);  // 65536 / (128 * 256)
    EXPECT_EQ(of({.registers = 128}, 256, 0).limit, "registers");
    EXPECT_EQ(of({.registers = 128}, 256, 0).share, 0.25);
    EXPECT_EQ(of({.registers = 32}, 256, 100 << 10).blocks_per_sm, 2);  // 228 KiB, 1 reserved each
    EXPECT_EQ(of({.registers = 32}, 256, 100 << 10).limit, "shared memory");
    EXPECT_EQ(of({.registers = 16}, 32, 0).blocks_per_sm, 32);
    EXPECT_EQ(of({.registers = 16}, 32, 0).limit, "blocks");
    EXPECT_EQ(of({.registers = 16, .barriers = 16}, 32, 0).blocks_per_sm, 4);
    EXPECT_FALSE(inspector->occupancy(h100, {.registers = 16}, 2048, 0));
    EXPECT_FALSE(inspector->occupancy(h100, {.registers = 16}, 0, 0));
}

}  // namespace
}  // namespace jitune::internal
