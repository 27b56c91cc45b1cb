// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/moments.hpp"

#include <algorithm>

#include "reduce_compare/device_memory.hpp"

namespace jitune::bench {

namespace {

constexpr unsigned kThreads = 128;
constexpr std::size_t kMaxBlocks = 1024;
constexpr std::size_t kValuesPerBlock = 4096;

/// Block (b, r) takes every gridDim.x-th value of range r.
__global__ void moments_kernel(Values values, const std::size_t* starts, std::size_t n,
                               Moments* partials) {
    __shared__ alignas(Moments) unsigned char shared[kThreads * sizeof(Moments)];
    auto* of_thread = reinterpret_cast<Moments*>(shared);
    const std::size_t start = starts[blockIdx.y];
    Moments mine;
    for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < n;
         i += std::size_t{gridDim.x} * kThreads) {
        mine.add(values.at(start + i), static_cast<std::int64_t>(i));
    }
    of_thread[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned t = 1; t < kThreads; ++t) {
            mine.add(of_thread[t]);
        }
        partials[std::size_t{blockIdx.y} * gridDim.x + blockIdx.x] = mine;
    }
}

}  // namespace

JITUNE_BENCH_FUNCTION void Moments::add(std::int32_t value, std::int64_t index) {
    const std::int64_t wide = value;
    sum += wide;
    squares += wide * wide;
    magnitudes += wide < 0 ? -wide : wide;
    nonzero += wide != 0 ? 1 : 0;
    negative += wide < 0 ? 1 : 0;
    twos += wide == 2 || wide == -2 ? 1 : 0;
    product *= static_cast<std::uint64_t>(wide);
    if (lowest_at < 0 || value < lowest) {
        lowest = value;
        lowest_at = index;
    }
    if (highest_at < 0 || value > highest) {
        highest = value;
        highest_at = index;
    }
    exponentials += exp(static_cast<double>(value) - kExponentShift);
}

JITUNE_BENCH_FUNCTION void Moments::add(const Moments& other) {
    if (other.lowest_at < 0) {
        return;
    }
    sum += other.sum;
    squares += other.squares;
    magnitudes += other.magnitudes;
    nonzero += other.nonzero;
    negative += other.negative;
    twos += other.twos;
    product *= other.product;
    exponentials += other.exponentials;
    if (lowest_at < 0 || other.lowest < lowest ||
        (other.lowest == lowest && other.lowest_at < lowest_at)) {
        lowest = other.lowest;
        lowest_at = other.lowest_at;
    }
    if (highest_at < 0 || other.highest > highest ||
        (other.highest == highest && other.highest_at < highest_at)) {
        highest = other.highest;
        highest_at = other.highest_at;
    }
}

std::vector<Moments> moments(const Values& values, const std::vector<std::size_t>& starts,
                             std::size_t n, cudaStream_t stream) {
    const std::size_t blocks = std::clamp<std::size_t>(n / kValuesPerBlock, 1, kMaxBlocks);
    const DeviceMemory device_starts(starts.size() * sizeof(std::size_t));
    const DeviceMemory device_partials(starts.size() * blocks * sizeof(Moments));
    std::vector<Moments> partials(starts.size() * blocks);
    cuda_call(cudaMemcpyAsync(device_starts.data(), starts.data(), device_starts.bytes(),
                              cudaMemcpyHostToDevice, stream),
              "copy the starts of ranges");
    const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(starts.size()));
    moments_kernel<<<grid, kThreads, 0, stream>>>(values, device_starts.as<std::size_t>(), n,
                                                  device_partials.as<Moments>());
    cuda_call(cudaGetLastError(), "compute what is expected");
    cuda_call(cudaMemcpyAsync(partials.data(), device_partials.data(), device_partials.bytes(),
                              cudaMemcpyDeviceToHost, stream),
              "copy what is expected");
    cuda_call(cudaStreamSynchronize(stream), "compute what is expected");
    std::vector<Moments> all(starts.size());
    for (std::size_t i = 0; i < partials.size(); ++i) {
        all[i / blocks].add(partials[i]);
    }
    return all;
}

}  // namespace jitune::bench
