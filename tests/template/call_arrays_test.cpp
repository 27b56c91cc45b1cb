// SPDX-License-Identifier: Apache-2.0
#include "template/call_arrays.hpp"

#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

/// The arrays of a kernel with these arguments, for n=100 and element=float32.
std::optional<std::vector<CallArray>> arrays(const std::string& arguments) {
    const KernelTemplate kernel({"k.cu",
                                 fmt::format(R"toml(/* jitune template
kernel = "k"
backend = "cuda"
sizes = ["n"]

[types.element]
float32 = "float"

[parameters]
block = {{ values = [32, 64], default = 64 }}

[arguments]
{}

[[launch]]
entry = "k"
template = ["element", "block"]
arguments = []
block = "block"
*/
)toml",
                                             arguments),
                                 {}});
    return call_arrays(kernel, {"k", {{"element", "float32"}}, {100}, 4});
}

TEST(CallArrays, HaveTheirPlacesAmongTheArgumentsOfACall) {
    const auto found = arrays(
        "n = { access = \"scalar\", type = \"uint64\", value = \"n\" }\n"
        "factor = { access = \"value\", type = \"float64\", value = \"2\" }\n"
        "work = { access = \"scratch\", type = \"uint32\", count = \"n\" }\n"
        "in = { access = \"in\", type = \"element\", count = \"2 * n\" }\n"
        "out = { access = \"out\", type = \"int16\", count = \"n\", tolerance = 0.5 }");
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ((*found)[0].place, 1U);
    EXPECT_EQ((*found)[0].bytes, 800U);
    EXPECT_FALSE((*found)[0].output);
    EXPECT_EQ((*found)[1].place, 2U);
    EXPECT_EQ((*found)[1].bytes, 200U);
    ASSERT_TRUE((*found)[1].output);
    EXPECT_EQ((*found)[1].output->type, ElementType::int16);
    EXPECT_EQ((*found)[1].output->tolerance, 0.5);
}

TEST(CallArrays, AreNoneWhereOutputsAreReadOrUnknown) {
    EXPECT_FALSE(arrays("a = { access = \"inout\", type = \"element\", count = \"n\" }"));
    EXPECT_FALSE(arrays("a = { access = \"out\", type = \"element\", count = \"n * block\" }"));
    EXPECT_TRUE(arrays("a = { access = \"out\", type = \"element\", count = \"n\" }"));
}

TEST(CallArrays, SeeAnOutputInAnotherArray) {
    const std::vector<CallArray> both{{0, 16, {}}, {1, 8, OutputSpec{}}};
    std::array<std::byte, 32> memory{};
    const auto shared = [&](std::size_t in, std::size_t out) {
        const std::array<void*, 2> arguments{memory.data() + in, memory.data() + out};
        return has_shared_output(both, arguments.data());
    };
    EXPECT_FALSE(shared(0, 16));
    EXPECT_FALSE(shared(8, 0));
    EXPECT_TRUE(shared(0, 15));
    EXPECT_TRUE(shared(7, 0));
    EXPECT_TRUE(shared(4, 8));
}

}  // namespace
}  // namespace jitune::internal
