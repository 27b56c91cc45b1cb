// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "jitune/reduction.hpp"

namespace jitune::bench {

/// Arguments of one CUB call. Where `temp` is null, CUB writes how many bytes it needs to
/// *temp_bytes and does nothing else.
struct CubArguments {
    void* temp;
    std::size_t* temp_bytes;
    const void* values;
    const std::int64_t* offsets;  ///< of ragged segments
    void* results;
    std::size_t outer;  ///< rows or segments, else 1
    std::size_t inner;  ///< elements of all, or of one row
    cudaStream_t stream;
};

using CubFunction = cudaError_t (*)(const CubArguments&);

inline constexpr std::size_t kReduceOps = static_cast<std::size_t>(ReduceOp::custom) + 1;

/// By operation; null where CUB is not compared.
using CubFunctionsByOp = std::array<CubFunction, kReduceOps>;

/// How CUB is called for elements of type T. ReduceOp::custom is log(sum(exp(x))).
template <class T>
CubFunctionsByOp cub_flat_functions();
template <class T>
CubFunctionsByOp cub_row_functions();
template <class T>
CubFunctionsByOp cub_segment_functions();

}  // namespace jitune::bench
