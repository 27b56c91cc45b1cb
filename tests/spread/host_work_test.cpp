// SPDX-License-Identifier: Apache-2.0
#include "spread/host_pipeline.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(Partition, PartsFollowEachOtherAndAreEven) {
    for (const std::int64_t count : {1, 2, 7, 16, 97, 1000}) {
        for (const std::int64_t parts : {1, 2, 3, 4, 8}) {
            const auto result = partition(count, parts);
            ASSERT_EQ(static_cast<std::int64_t>(result.size()), std::min(parts, count));
            std::int64_t at = 0;
            for (const Part& part : result) {
                EXPECT_EQ(part.begin, at);
                at = part.end;
                EXPECT_LE(part.end - part.begin, count / std::min(parts, count) + 1);
                EXPECT_GE(part.end - part.begin, count / std::min(parts, count));
            }
            EXPECT_EQ(at, count);
        }
    }
}

TEST(Partition, NoUnitsHaveNoParts) {
    EXPECT_TRUE(partition(0, 4).empty());
}

/// Ten rows of two elements, each a byte, with windows of three rows on either side.
class HostWorkTest : public testing::Test {
protected:
    HostWorkTest() { std::iota(input_.begin(), input_.end(), std::uint8_t{0}); }

    HostWork work(Ends ends, std::size_t outputs = 10) {
        output_.assign(outputs * 2, 0);
        void* const arrays[] = {input_.data(), &value_, output_.data()};
        return {{"test", 1, 1, 2, 3, ends}, 10, {{0, 2}, 2, 0}, arrays};
    }

    /// The first element of each staged row.
    static std::vector<int> staged(const HostWork& work, const Part& part) {
        const Chunk chunk = work.chunk(part);
        std::vector<std::byte> bytes(chunk.input_bytes);
        work.stage(chunk, bytes.data());
        std::vector<int> rows;
        for (std::size_t i = 0; i < bytes.size(); i += 2) {
            rows.push_back(static_cast<int>(bytes[i]) / 2);
        }
        return rows;
    }

    std::vector<std::uint8_t> input_ = std::vector<std::uint8_t>(20);
    std::vector<std::uint8_t> output_;
    double value_ = 0;
};

TEST_F(HostWorkTest, HalosEndWithTheArrayWhereTheKernelHasItsOwnEnds) {
    const HostWork own = work(Ends::own);
    EXPECT_EQ(own.outputs(), 10);
    EXPECT_EQ(staged(own, {0, 4}), (std::vector{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(staged(own, {7, 10}), (std::vector{4, 5, 6, 7, 8, 9}));
    const Chunk middle = own.chunk({4, 7});
    EXPECT_EQ(middle.first, 1);
    EXPECT_EQ(middle.last, 10);
    EXPECT_EQ(middle.sizes.sizes, (std::array<std::int64_t, 2>{9, 2}));
    EXPECT_EQ(middle.output_bytes, 18U) << "an output for each input";
    EXPECT_EQ(middle.skipped, 6U);
    EXPECT_EQ(middle.target.size(), 6U);
    EXPECT_EQ(static_cast<void*>(middle.target.data()), output_.data() + 8);
    EXPECT_EQ(middle.source, input_.data() + 2);
}

TEST_F(HostWorkTest, StagingExtendsTheArrayAsItsEndsSay) {
    EXPECT_EQ(staged(work(Ends::zero), {0, 2}), (std::vector{0, 0, 0, 0, 1, 2, 3, 4}));
    EXPECT_EQ(staged(work(Ends::clamp), {9, 10}), (std::vector{6, 7, 8, 9, 9, 9, 9}));
    EXPECT_EQ(staged(work(Ends::wrap), {9, 10}), (std::vector{6, 7, 8, 9, 0, 1, 2}));
    const Chunk chunk = work(Ends::clamp).chunk({9, 10});
    EXPECT_EQ(chunk.output_bytes, 2U) << "none for the inputs beside it";
    EXPECT_EQ(chunk.skipped, 0U);
    EXPECT_EQ(chunk.source, nullptr);
}

TEST_F(HostWorkTest, OutputsOfValidEndsBeginAtTheRadius) {
    const HostWork valid = work(Ends::valid, 4);
    EXPECT_EQ(valid.outputs(), 4);
    EXPECT_EQ(staged(valid, {0, 4}), (std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(staged(valid, {1, 2}), (std::vector{1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(valid.chunk({1, 2}).source, input_.data() + 2);
}

TEST_F(HostWorkTest, ConvertedInputsAreStagedAsTheKernelTakesThem) {
    HostWork wide = work(Ends::own);
    wide.convert_inputs(4, [](const std::byte* from, std::size_t count, std::byte* to) {
        for (std::size_t i = 0; i < count; ++i) {
            to[4 * i] = from[i];
        }
    });
    EXPECT_EQ(wide.unit_bytes(), 8U);
    const Chunk chunk = wide.chunk({0, 1});
    EXPECT_EQ(chunk.source, nullptr);
    EXPECT_EQ(chunk.input_bytes, 32U);
    std::vector<std::byte> bytes(chunk.input_bytes);
    wide.stage(chunk, bytes.data());
    EXPECT_EQ(bytes[7 * 4], std::byte{7});
}

}  // namespace
}  // namespace jitune::internal
