// SPDX-License-Identifier: Apache-2.0
// cub::DeviceSegmentedReduce for rows, whose offsets are computed, and for ragged segments.
#pragma once

#include <type_traits>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/limits>

#include "reduce_compare/cub_functions.hpp"
#include "reduce_compare/cub_operators.cuh"

namespace jitune::bench {

struct RowOffsets {
    static auto of(const CubArguments& call) {
        return thrust::make_transform_iterator(thrust::counting_iterator<std::int32_t>(0),
                                               RowStart{static_cast<std::int32_t>(call.inner)});
    }
};

struct SegmentOffsets {
    static const std::int64_t* of(const CubArguments& call) { return call.offsets; }
};

template <class T, class Offsets>
struct CubSegmented {
    using R = ReducedType<T>;

    static const T* values(const CubArguments& call) { return static_cast<const T*>(call.values); }

    static cudaError_t sum(const CubArguments& call) {
        const auto begins = Offsets::of(call);
        R* results = static_cast<R*>(call.results);
        const auto count = static_cast<std::int64_t>(call.outer);
        if constexpr (std::is_same_v<T, R>) {
            return cub::DeviceSegmentedReduce::Sum(call.temp, *call.temp_bytes, values(call),
                                                   results, count, begins, begins + 1, call.stream);
        } else {
            return cub::DeviceSegmentedReduce::Reduce(call.temp, *call.temp_bytes, values(call),
                                                      results, count, begins, begins + 1,
                                                      ::cuda::std::plus<R>{}, R(0), call.stream);
        }
    }

    /// In the element's own type. CUB's Max compares 16-bit floats with the type of the results,
    /// which does not compile.
    static cudaError_t max(const CubArguments& call) {
        const auto begins = Offsets::of(call);
        return cub::DeviceSegmentedReduce::Reduce(
            call.temp, *call.temp_bytes, values(call), static_cast<R*>(call.results),
            static_cast<std::int64_t>(call.outer), begins, begins + 1, ::cuda::maximum<T>{},
            ::cuda::std::numeric_limits<T>::lowest(), call.stream);
    }

    static CubFunctionsByOp functions() {
        CubFunctionsByOp functions{};
        functions[static_cast<std::size_t>(ReduceOp::sum)] = sum;
        functions[static_cast<std::size_t>(ReduceOp::max)] = max;
        return functions;
    }
};

template <class T>
CubFunctionsByOp cub_row_functions() {
    return CubSegmented<T, RowOffsets>::functions();
}

template <class T>
CubFunctionsByOp cub_segment_functions() {
    return CubSegmented<T, SegmentOffsets>::functions();
}

}  // namespace jitune::bench
