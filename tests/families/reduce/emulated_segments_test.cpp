// SPDX-License-Identifier: Apache-2.0
// The kernel reduce_segments.cu on emulated blocks: what it gives for segments of every kind of
// lengths. Whether it compiles for GPUs, and how it does there, other tests show.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fake/emulated_block.hpp"
#include "families/reduce/segment_offsets.hpp"

#include "reduce_segments.cu"

#include "emulated_operations.hpp"

namespace jitune::internal {
namespace {

struct Lengths {
    std::int64_t segments;
    std::int64_t n;
    Raggedness raggedness;
};

/// Segments shorter and longer than a chunk and a share, as many as make ends the bottleneck, and
/// no elements at all.
constexpr std::int64_t kSizes[][2] = {{1, 1},       {1, 9'011},   {5, 3}, {17, 5'001},
                                      {301, 4'007}, {1'027, 409}, {3, 0}};
constexpr Raggedness kRaggedness[] = {Raggedness::even, Raggedness::mostly_empty,
                                      Raggedness::one_huge, Raggedness::last_only,
                                      Raggedness::mixed};

template <class T, class A, class R, template <class, class, class> class Operation,
          SegmentLayout layout, int block, int threads_per_segment, int items_per_thread>
class Emulated {
    using Op = Operation<T, A, R>;
    using State = typename Op::State;

public:
    /// Compares the results of `blocks` blocks, which run in two orders, with a loop's.
    static void check(const Lengths& lengths, unsigned blocks, unsigned misalignment) {
        SCOPED_TRACE(fmt::format("{} elements in {} segments of kind {}, {} blocks, offset {}",
                                 lengths.n, lengths.segments, static_cast<int>(lengths.raggedness),
                                 blocks, misalignment));
        std::mt19937_64 random(7);
        const auto drawn = segment_offsets(lengths.segments, lengths.n, lengths.raggedness, random);
        const std::vector<long long> offsets(drawn.begin(), drawn.end());
        const auto numbers = small_numbers<T>(static_cast<std::size_t>(lengths.n) + misalignment);
        const T* values = numbers.data() + misalignment;
        const std::vector<R> wanted = serial(values, offsets);
        std::vector<State> partials(std::size_t{2} * blocks);
        std::vector<unsigned> tickets(blocks);
        std::vector<unsigned> order(blocks);
        std::iota(order.begin(), order.end(), 0U);
        for (int turn = 0; turn < 2; ++turn) {
            std::vector<R> results(offsets.size() - 1, R(77));
            gridDim.x = blocks;
            for (const unsigned index : order) {
                blockIdx.x = index;
                emulated::Block::now().run(block, [&] {
                    reduce_segments<T, A, R, Operation, layout, block, threads_per_segment,
                                    items_per_thread>(
                        values, offsets.data(), static_cast<Index>(lengths.segments),
                        static_cast<Index>(lengths.n), partials.data(), tickets.data(),
                        results.data());
                });
            }
            EXPECT_EQ(results, wanted);
            EXPECT_EQ(tickets, std::vector<unsigned>(blocks));
            std::reverse(order.begin(), order.end());
        }
    }

private:
    static std::vector<R> serial(const T* values, const std::vector<long long>& offsets) {
        std::vector<R> results;
        for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
            auto state = Op::identity();
            for (auto at = offsets[i]; at < offsets[i + 1]; ++at) {
                state =
                    Op::combine(state, Op::map(values[at], static_cast<Index>(at - offsets[i])));
            }
            results.push_back(Op::result(state, static_cast<Index>(offsets[i + 1] - offsets[i])));
        }
        return results;
    }
};

template <class Kernel>
void check_all() {
    unsigned misalignment = 0;
    for (const auto& [segments, n] : kSizes) {
        for (const Raggedness raggedness : kRaggedness) {
            for (const unsigned blocks : {1U, 9U}) {
                Kernel::check({segments, n, raggedness}, blocks, ++misalignment % 17);
            }
        }
    }
}

TEST(EmulatedSegments, AreReducedByGroupsOfThreads) {
    check_all<Emulated<float, float, float, Sum, SegmentLayout::groups, 64, 4, 8>>();
}

TEST(EmulatedSegments, AreReducedByEqualSharesOfElementsAndEnds) {
    check_all<Emulated<float, float, float, Sum, SegmentLayout::merge, 64, 1, 16>>();
    check_all<Emulated<double, double, double, Max, SegmentLayout::merge, 32, 1, 4>>();
    check_all<Emulated<unsigned char, int, int, Sum, SegmentLayout::merge, 64, 1, 8>>();
    check_all<Emulated<short, int, int, Max, SegmentLayout::merge, 64, 1, 32>>();
}

TEST(EmulatedSegments, GiveIndexesThatCountFromTheBeginOfEach) {
    check_all<Emulated<float, float, long long, ArgMax, SegmentLayout::merge, 64, 1, 16>>();
    check_all<Emulated<int, int, long long, ArgMin, SegmentLayout::groups, 128, 8, 8>>();
}

TEST(EmulatedSegments, TakeStatesOfAnySizeAndPlacesInSegments) {
    check_all<Emulated<float, float, float, SumOfParts<float, 3>::Operation, SegmentLayout::merge,
                       64, 1, 8>>();
    check_all<Emulated<unsigned char, int, unsigned char, SumOfParts<unsigned char, 3>::Operation,
                       SegmentLayout::merge, 64, 1, 16>>();
}

}  // namespace
}  // namespace jitune::internal
