// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/fill.hpp"

#include <array>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "reduce_compare/cuda_call.hpp"

namespace jitune::bench {

namespace {

constexpr unsigned kBlocks = 2048;
constexpr unsigned kThreads = 512;

template <class T>
__global__ void fill_kernel(T* memory, std::uint64_t n, Values values) {
    const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        if constexpr (sizeof(T) == 2 && !std::is_integral_v<T>) {
            memory[i] = static_cast<T>(static_cast<float>(values.at(i)));
        } else {
            memory[i] = static_cast<T>(values.at(i));
        }
    }
}

template <class T>
void launch(void* memory, std::uint64_t n, const Values& values, cudaStream_t stream) {
    fill_kernel<T><<<kBlocks, kThreads, 0, stream>>>(static_cast<T*>(memory), n, values);
}

using Launch = void (*)(void*, std::uint64_t, const Values&, cudaStream_t);

/// By ElementType.
constexpr std::array<Launch, 12> kLaunches{
    launch<std::int8_t>,  launch<std::uint8_t>,  launch<std::int16_t>, launch<std::uint16_t>,
    launch<std::int32_t>, launch<std::uint32_t>, launch<std::int64_t>, launch<std::uint64_t>,
    launch<__half>,       launch<__nv_bfloat16>, launch<float>,        launch<double>};

}  // namespace

void fill(ElementType element, const Values& values, void* memory, std::size_t n,
          cudaStream_t stream) {
    kLaunches.at(static_cast<std::size_t>(element))(memory, n, values, stream);
    cuda_call(cudaGetLastError(), "fill with test data");
}

}  // namespace jitune::bench
