// SPDX-License-Identifier: Apache-2.0
// Which of the images that come with the library a device takes.
#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include "families/compiled/compiled_kernels.hpp"

namespace jitune::internal {
namespace {

constexpr std::array kHostEntries{CompiledEntry{"sum<float>\n", "entry_0\n"}};
constexpr std::array kOld{CompiledEntry{"sum<float>\nrest<float>\n", "_Zsum\n_Zrest\n"},
                          CompiledEntry{"max<float>\n", "_Zmax\n"}};
constexpr std::array kNew{CompiledEntry{"max<float>\n", "_Znew\n"}};
const std::array kHostImages{CompiledImage{0, "a shared object", kHostEntries}};
const std::array kGpuImages{CompiledImage{80, "a cubin of 8.0", kOld},
                            CompiledImage{90, "a cubin of 9.0", kNew}};
const std::span<const CompiledImage> kHost{kHostImages};
const std::span<const CompiledImage> kGpu{kGpuImages};
const std::array kLists{&kHost, &kGpu};

std::optional<Binary> found_on(std::int64_t compute_capability, Instance instance) {
    DeviceInfo device;
    device.platform = PlatformKind::cuda;
    device.attributes = {{"compute_capability", compute_capability}};
    return find_compiled(kLists, device, instance);
}

TEST(CompiledImages, AGpuTakesCodeOfItsMajorArchitectureUpToItsMinor) {
    const Instance sum{{"sum<float>", "rest<float>"}};
    for (const int runs : {80, 86, 89}) {
        const auto binary = found_on(runs, sum);
        ASSERT_TRUE(binary) << runs;
        EXPECT_EQ(binary->format, "cubin");
        EXPECT_EQ(*binary->image, "a cubin of 8.0");
        EXPECT_EQ(binary->symbols, (std::vector<std::string>{"_Zsum", "_Zrest"}));
    }
    for (const int other : {75, 90, 100, 120}) {
        EXPECT_FALSE(found_on(other, sum)) << other;
    }
    EXPECT_EQ(*found_on(90, Instance{{"max<float>"}})->image, "a cubin of 9.0");
}

TEST(CompiledImages, AnInstanceIsFoundByAllItsExpressions) {
    EXPECT_FALSE(found_on(80, Instance{{"sum<float>"}}));
    EXPECT_FALSE(found_on(80, Instance{{"rest<float>", "sum<float>"}}));
    EXPECT_FALSE(found_on(80, Instance{{"sum<double>", "rest<double>"}}));
}

TEST(CompiledImages, TheHostTakesNoCubin) {
    DeviceInfo host;
    host.platform = PlatformKind::host;
    EXPECT_FALSE(find_compiled(kLists, host, Instance{{"max<float>"}}));
    EXPECT_FALSE(found_on(80, Instance{{"sum<float>"}}));
}

TEST(CompiledImages, EveryCallGivesTheSameImageSoThatItIsLoadedOnce) {
    const Instance max{{"max<float>"}};
    EXPECT_EQ(found_on(80, max)->image, found_on(86, max)->image);
    EXPECT_NE(found_on(80, max)->image, found_on(90, max)->image);
}

}  // namespace
}  // namespace jitune::internal
