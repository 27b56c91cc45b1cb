// SPDX-License-Identifier: Apache-2.0
// cub::DeviceReduce for every operation: its own entry points where it has them, else Reduce and
// TransformReduce with the accumulator that jitune uses.
#pragma once

#include <type_traits>

#include <thrust/iterator/transform_output_iterator.h>
#include <cub/device/device_reduce.cuh>

#include "reduce_compare/cub_functions.hpp"
#include "reduce_compare/cub_operators.cuh"

namespace jitune::bench {

template <class T>
struct CubFlat {
    using R = ReducedType<T>;
    static constexpr bool kIsFloat = std::is_same_v<R, float> || std::is_same_v<R, double>;
    /// What the mean of integers accumulates in, and what mean and norm of integers are.
    using Wide =
        std::conditional_t<kIsFloat, R,
                           std::conditional_t<std::is_signed_v<R>, std::int64_t, std::uint64_t>>;
    using Real = std::conditional_t<kIsFloat, R, double>;

    static const T* values(const CubArguments& call) { return static_cast<const T*>(call.values); }
    /// CUB's fastest index type for up to 2^32 - 1 elements.
    static std::uint32_t count(const CubArguments& call) {
        return static_cast<std::uint32_t>(call.inner);
    }

    template <class A, class Output, class Combine>
    static cudaError_t reduce(const CubArguments& call, Output output, Combine combine, A initial) {
        return cub::DeviceReduce::Reduce(call.temp, *call.temp_bytes, values(call), output,
                                         count(call), combine, initial, call.stream);
    }

    template <class A, class Output, class Combine, class Map>
    static cudaError_t map_reduce(const CubArguments& call, Output output, Combine combine, Map map,
                                  A initial) {
        return cub::DeviceReduce::TransformReduce(call.temp, *call.temp_bytes, values(call), output,
                                                  count(call), combine, map, initial, call.stream);
    }

    static cudaError_t sum(const CubArguments& call) {
        R* result = static_cast<R*>(call.results);
        if constexpr (std::is_same_v<T, R>) {
            return cub::DeviceReduce::Sum(call.temp, *call.temp_bytes, values(call), result,
                                          count(call), call.stream);
        } else {
            return reduce(call, result, ::cuda::std::plus<R>{}, R(0));
        }
    }

    static cudaError_t product(const CubArguments& call) {
        return reduce(call, static_cast<R*>(call.results), ::cuda::std::multiplies<R>{}, R(1));
    }

    static cudaError_t min(const CubArguments& call) {
        return cub::DeviceReduce::Min(call.temp, *call.temp_bytes, values(call),
                                      static_cast<R*>(call.results), count(call), call.stream);
    }

    static cudaError_t max(const CubArguments& call) {
        return cub::DeviceReduce::Max(call.temp, *call.temp_bytes, values(call),
                                      static_cast<R*>(call.results), count(call), call.stream);
    }

    /// CUB also writes the extreme value: into the second half of the result's 16 bytes.
    static T* extreme(const CubArguments& call) {
        return reinterpret_cast<T*>(static_cast<char*>(call.results) + sizeof(std::int64_t));
    }

    static cudaError_t arg_min(const CubArguments& call) {
        return cub::DeviceReduce::ArgMin(call.temp, *call.temp_bytes, values(call), extreme(call),
                                         static_cast<std::int64_t*>(call.results),
                                         static_cast<std::int64_t>(call.inner), call.stream);
    }

    static cudaError_t arg_max(const CubArguments& call) {
        return cub::DeviceReduce::ArgMax(call.temp, *call.temp_bytes, values(call), extreme(call),
                                         static_cast<std::int64_t*>(call.results),
                                         static_cast<std::int64_t>(call.inner), call.stream);
    }

    static cudaError_t mean(const CubArguments& call) {
        const DividedBy<Wide, Real> finish{static_cast<std::int64_t>(call.inner)};
        return reduce(
            call, thrust::make_transform_output_iterator(static_cast<Real*>(call.results), finish),
            ::cuda::std::plus<Wide>{}, Wide(0));
    }

    static cudaError_t sum_of_squares(const CubArguments& call) {
        return map_reduce(call, static_cast<R*>(call.results), ::cuda::std::plus<R>{},
                          Square<T, R>{}, R(0));
    }

    static cudaError_t norm(const CubArguments& call) {
        return map_reduce(call,
                          thrust::make_transform_output_iterator(static_cast<Real*>(call.results),
                                                                 SquareRoot<Real>{}),
                          ::cuda::std::plus<Real>{}, Square<T, Real>{}, Real(0));
    }

    static cudaError_t sum_abs(const CubArguments& call) {
        return map_reduce(call, static_cast<R*>(call.results), ::cuda::std::plus<R>{},
                          Magnitude<T, R>{}, R(0));
    }

    static cudaError_t max_abs(const CubArguments& call) {
        return map_reduce(call, static_cast<R*>(call.results), ::cuda::maximum<R>{},
                          Magnitude<T, R>{}, R(0));
    }

    static cudaError_t all(const CubArguments& call) {
        return map_reduce(call, static_cast<std::uint8_t*>(call.results),
                          ::cuda::std::logical_and<bool>{}, IsNonzero<T, bool>{}, true);
    }

    static cudaError_t any(const CubArguments& call) {
        return map_reduce(call, static_cast<std::uint8_t*>(call.results),
                          ::cuda::std::logical_or<bool>{}, IsNonzero<T, bool>{}, false);
    }

    static cudaError_t count_nonzero(const CubArguments& call) {
        return map_reduce(call, static_cast<std::int64_t*>(call.results),
                          ::cuda::std::plus<std::int64_t>{}, IsNonzero<T, std::int64_t>{},
                          std::int64_t{0});
    }

    static cudaError_t log_sum_exp(const CubArguments& call) {
        return map_reduce(
            call,
            thrust::make_transform_output_iterator(static_cast<float*>(call.results), Logarithm{}),
            AddExponentials{}, ToExponential{}, Exponentials{-1e38F, 0.0F});
    }
};

template <class T>
CubFunctionsByOp cub_flat_functions() {
    using Flat = CubFlat<T>;
    CubFunctionsByOp functions{};
    const auto set = [&](ReduceOp op, CubFunction function) {
        functions[static_cast<std::size_t>(op)] = function;
    };
    set(ReduceOp::sum, Flat::sum);
    set(ReduceOp::product, Flat::product);
    set(ReduceOp::min, Flat::min);
    set(ReduceOp::max, Flat::max);
    set(ReduceOp::arg_min, Flat::arg_min);
    set(ReduceOp::arg_max, Flat::arg_max);
    set(ReduceOp::mean, Flat::mean);
    set(ReduceOp::sum_of_squares, Flat::sum_of_squares);
    set(ReduceOp::norm, Flat::norm);
    set(ReduceOp::sum_abs, Flat::sum_abs);
    set(ReduceOp::max_abs, Flat::max_abs);
    set(ReduceOp::all, Flat::all);
    set(ReduceOp::any, Flat::any);
    set(ReduceOp::count_nonzero, Flat::count_nonzero);
    if constexpr (std::is_same_v<T, float>) {
        set(ReduceOp::custom, Flat::log_sum_exp);
    }
    return functions;
}

}  // namespace jitune::bench
