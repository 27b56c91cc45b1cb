// SPDX-License-Identifier: Apache-2.0
// The kernel reduce_rows.cu on emulated blocks: what it gives for rows of all lengths. Whether it
// compiles for GPUs, and how it does there, other tests show.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fake/emulated_block.hpp"

#include "reduce_rows.cu"

#include "emulated_operations.hpp"

namespace jitune::internal {
namespace {

struct Matrix {
    Index rows;
    Index columns;
};

/// Rows shorter and longer than a pack, a warp's trip and a block's.
constexpr Matrix kMatrices[] = {{1, 1},     {1, 9'011}, {5, 1},     {300, 3}, {37, 128},
                                {7, 1'031}, {3, 3'000}, {2, 4'096}, {61, 67}};

template <class T, class A, class R, template <class, class, class> class Operation,
          RowLayout layout, int block, int threads_per_row, int unroll>
class Emulated {
    using Op = Operation<T, A, R>;

public:
    /// Compares the results of `blocks` blocks, which run in two orders, with a loop's.
    static void check(const Matrix& matrix, unsigned blocks, unsigned blocks_per_row,
                      unsigned misalignment) {
        SCOPED_TRACE(fmt::format("{} rows of {} elements, {} blocks, {} for each row, offset {}",
                                 matrix.rows, matrix.columns, blocks, blocks_per_row,
                                 misalignment));
        const auto numbers = small_numbers<T>(matrix.rows * matrix.columns + misalignment);
        const T* values = numbers.data() + misalignment;
        std::vector<unsigned> tickets(matrix.rows);
        std::vector<unsigned long long> slots(4 * matrix.rows * blocks_per_row);
        std::vector<unsigned> order(blocks);
        std::iota(order.begin(), order.end(), 0U);
        for (int turn = 0; turn < 2; ++turn) {
            std::vector<R> results(matrix.rows, R(77));
            gridDim.x = blocks;
            for (const unsigned index : order) {
                blockIdx.x = index;
                emulated::Block::now().run(block, [&] {
                    reduce_rows<T, A, R, Operation, layout, block, threads_per_row, unroll,
                                Release::late>(values, matrix.rows, matrix.columns, blocks_per_row,
                                               tickets.data(), slots.data(), results.data());
                });
            }
            EXPECT_EQ(results, serial(values, matrix));
            EXPECT_EQ(tickets, std::vector<unsigned>(tickets.size()));
            EXPECT_EQ(slots, std::vector<unsigned long long>(slots.size()));
            std::reverse(order.begin(), order.end());
        }
    }

private:
    static std::vector<R> serial(const T* values, const Matrix& matrix) {
        std::vector<R> results;
        for (Index row = 0; row < matrix.rows; ++row) {
            auto state = Op::identity();
            for (Index i = 0; i < matrix.columns; ++i) {
                state = Op::combine(state, Op::map(values[row * matrix.columns + i], i));
            }
            results.push_back(Op::result(state, matrix.columns));
        }
        return results;
    }
};

template <class Kernel>
void check_all(unsigned blocks_per_row) {
    unsigned misalignment = 0;
    for (const Matrix& matrix : kMatrices) {
        if (blocks_per_row > 1 && matrix.rows > 7) {
            continue;
        }
        const auto blocks = static_cast<unsigned>(matrix.rows) * blocks_per_row;
        Kernel::check(matrix, blocks, blocks_per_row, ++misalignment % 17);
        if (blocks_per_row == 1) {
            Kernel::check(matrix, 2, 1, ++misalignment % 17);
        }
    }
}

TEST(EmulatedRows, AreReducedByThreadsOfOneWarp) {
    check_all<Emulated<float, float, float, Sum, RowLayout::direct, 64, 8, 4>>(1);
    check_all<Emulated<short, int, int, Max, RowLayout::direct, 64, 32, 2>>(1);
}

TEST(EmulatedRows, AreReducedFromSharedMemory) {
    check_all<Emulated<float, float, float, Sum, RowLayout::staged, 64, 4, 4>>(1);
}

TEST(EmulatedRows, AreReducedByOneBlockEach) {
    check_all<Emulated<double, double, double, Max, RowLayout::direct, 64, 64, 2>>(1);
}

TEST(EmulatedRows, AreReducedBySeveralBlocksEach) {
    check_all<Emulated<float, float, float, Sum, RowLayout::direct, 64, 64, 2>>(3);
    check_all<Emulated<unsigned char, int, int, Sum, RowLayout::direct, 64, 64, 4>>(70);
    check_all<Emulated<float, float, long long, ArgMax, RowLayout::direct, 64, 64, 2>>(2);
    check_all<Emulated<float, float, float, SumOfParts<float, 3>::Operation, RowLayout::direct, 64,
                       64, 2>>(5);
}

}  // namespace
}  // namespace jitune::internal
