// SPDX-License-Identifier: Apache-2.0
#include "families/families.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using MaybeBytes = std::optional<double>;

MaybeBytes bytes_of(const std::string& kernel, const std::string& types,
                    const std::vector<std::int64_t>& sizes) {
    return launch_bytes(kernel, types, sizes);
}

TEST(LaunchBytes, CountsWhatReductionsReadAndWrite) {
    const std::string types = "accumulator=float64 element=float32 operation=sum result=float64";
    EXPECT_EQ(bytes_of("reduce", types, {1000}), MaybeBytes(4008));
    EXPECT_EQ(bytes_of("reduce:log_sum_exp", types, {1000}), MaybeBytes(4008));
    EXPECT_EQ(bytes_of("reduce_rows", types, {10, 100}), MaybeBytes(4000 + 80));
    EXPECT_EQ(bytes_of("reduce_columns", types, {10, 100}), MaybeBytes(4000 + 800));
    EXPECT_EQ(bytes_of("reduce_segments", types, {10, 1000}), MaybeBytes(4000 + 80 + 88));
}

TEST(LaunchBytes, CountsTheOutputsThatAStencilHas) {
    const std::string types = "element=float32 radius=8 weighting=sum boundary=";
    EXPECT_EQ(bytes_of("stencil", types + "valid", {1000}), MaybeBytes(4 * (1000 + 984)));
    EXPECT_EQ(bytes_of("stencil", types + "zero", {1000}), MaybeBytes(4 * 2000));
    EXPECT_EQ(bytes_of("stencil", types + "valid", {8}), MaybeBytes()) << "it has no output";
}

TEST(LaunchBytes, CountsFloatsThatAnEntropyWrites) {
    EXPECT_EQ(bytes_of("entropy", "element=uint8 levels=16 window=5", {10, 20}),
              MaybeBytes(200 * 5));
}

TEST(LaunchBytes, KnowsNothingOfOtherKernelsAndOddTexts) {
    EXPECT_EQ(bytes_of("matmul", "element=float32", {8, 8, 8}), MaybeBytes());
    EXPECT_EQ(bytes_of("reduce", "element=float32", {8, 8}), MaybeBytes());
    EXPECT_EQ(bytes_of("reduce", "element=quaternion", {8}), MaybeBytes());
    EXPECT_EQ(bytes_of("", "", {}), MaybeBytes());
}

}  // namespace
}  // namespace jitune::internal
