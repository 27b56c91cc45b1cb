// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

// The kernel as host code, whose threads run in turn and each add for themselves.
namespace on_host_checksum {

struct Place {
    unsigned x;
};
Place gridDim{3}, blockDim{32}, blockIdx{0}, threadIdx{0};

struct __attribute__((may_alias)) ulonglong2 {
    unsigned long long x, y;
};

unsigned long long __shfl_down_sync(unsigned, unsigned long long, int) {
    return 0;
}
void atomicAdd(unsigned long long* to, unsigned long long value) {
    *to += value;
}

#define __global__ static
#define __device__
#include "backend/cuda/measure/checksum_regions.cu"
#undef __device__
#undef __global__

/// One thread a warp, so that each adds its own sum.
unsigned long long checksum(const void* data, std::size_t bytes) {
    blockDim.x = 1;
    gridDim.x = 37;
    const jitune::Region region{reinterpret_cast<unsigned long long>(data), bytes};
    unsigned long long sum = 0;
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
        jitune::checksum_regions(&region, 1, &sum);
    }
    return sum;
}

}  // namespace on_host_checksum

namespace jitune::internal {
namespace {

TEST(ChecksumRegions, ChangesWithEachBit) {
    alignas(16) std::array<std::uint8_t, 333> bytes{};
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    std::set<unsigned long long> sums{on_host_checksum::checksum(bytes.data(), bytes.size())};
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1 << bit);
            sums.insert(on_host_checksum::checksum(bytes.data(), bytes.size()));
            bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1 << bit);
        }
    }
    EXPECT_EQ(sums.size(), 1 + 8 * bytes.size());
}

TEST(ChecksumRegions, ChangesWhenWordsAreExchanged) {
    alignas(16) std::array<std::uint64_t, 8> words{1, 2, 3, 4, 5, 6, 7, 8};
    std::set<unsigned long long> sums;
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (std::size_t j = i + 1; j < words.size(); ++j) {
            std::swap(words[i], words[j]);
            sums.insert(on_host_checksum::checksum(words.data(), sizeof words));
            std::swap(words[i], words[j]);
        }
    }
    EXPECT_EQ(sums.size(), 28U);
}

}  // namespace
}  // namespace jitune::internal
