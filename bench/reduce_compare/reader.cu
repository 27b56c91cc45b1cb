// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/reader.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "reduce_compare/stopwatch.hpp"

namespace jitune::bench {

namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kFlushBlocksPerSm = 4;
constexpr int kCeilingSamples = 7;

/// Reads `packs` packs of 16 bytes. The store cannot happen with this data, but keeps the loads.
template <int unroll>
__global__ void __launch_bounds__(kThreads) read_kernel(const uint4* memory, std::size_t packs) {
    unsigned mixed = 0;
    const std::size_t step = std::size_t{gridDim.x} * kThreads * unroll;
    for (std::size_t i = std::size_t{blockIdx.x} * kThreads * unroll + threadIdx.x;
         i + (unroll - 1) * kThreads < packs; i += step) {
        uint4 pack[unroll];
#pragma unroll
        for (int k = 0; k < unroll; ++k) {
            pack[k] = __ldg(memory + i + k * kThreads);
        }
#pragma unroll
        for (int k = 0; k < unroll; ++k) {
            mixed += (pack[k].x ^ pack[k].y) | (pack[k].z ^ pack[k].w);
        }
    }
    if (mixed == 0x13579BDFU && packs == 0) {
        *const_cast<uint4*>(memory) = {mixed, mixed, mixed, mixed};
    }
}

__global__ void busy_kernel(long long ns) {
    unsigned long long begin = 0;
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (static_cast<long long>(now - begin) < ns);
}

unsigned sm_count() {
    int device = 0;
    int count = 0;
    cuda_call(cudaGetDevice(&device), "cudaGetDevice");
    cuda_call(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
              "count multiprocessors");
    return static_cast<unsigned>(count);
}

struct ReadKernel {
    const char* name;
    void (*kernel)(const uint4*, std::size_t);
};

constexpr std::array<ReadKernel, 3> kReadKernels{
    {{"2 packs", read_kernel<2>}, {"4 packs", read_kernel<4>}, {"8 packs", read_kernel<8>}}};
constexpr std::array<unsigned, 5> kBlocksPerSm{1, 2, 4, 8, 16};

}  // namespace

void read_all(const void* memory, std::size_t bytes, cudaStream_t stream) {
    read_kernel<4><<<sm_count() * kFlushBlocksPerSm, kThreads, 0, stream>>>(
        static_cast<const uint4*>(memory), bytes / sizeof(uint4));
    cuda_call(cudaGetLastError(), "read memory");
}

void keep_busy(double us, cudaStream_t stream) {
    busy_kernel<<<1, 1, 0, stream>>>(static_cast<long long>(us * 1e3));
    cuda_call(cudaGetLastError(), "keep the stream busy");
}

ReadCeiling read_ceiling(const void* memory, std::size_t bytes, cudaStream_t stream) {
    const Stopwatch watch(stream);
    ReadCeiling best;
    for (const ReadKernel& row : kReadKernels) {
        for (const unsigned blocks_per_sm : kBlocksPerSm) {
            std::vector<double> us;
            for (int i = 0; i < kCeilingSamples; ++i) {
                keep_busy(20, stream);
                us.push_back(watch.device_us([&] {
                    row.kernel<<<sm_count() * blocks_per_sm, kThreads, 0, stream>>>(
                        static_cast<const uint4*>(memory), bytes / sizeof(uint4));
                    cuda_call(cudaGetLastError(), "read memory");
                }));
            }
            std::nth_element(us.begin(), us.begin() + kCeilingSamples / 2, us.end());
            const double gbps = static_cast<double>(bytes) / us[kCeilingSamples / 2] * 1e-3;
            if (gbps > best.gbps) {
                best = {gbps, std::string(row.name) + " in flight per thread, " +
                                  std::to_string(blocks_per_sm) + " blocks of " +
                                  std::to_string(kThreads) + " per SM"};
            }
        }
    }
    return best;
}

}  // namespace jitune::bench
