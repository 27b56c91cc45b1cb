// SPDX-License-Identifier: Apache-2.0
// What CUB is given to compute jitune's operations: functors over the element type T and the
// accumulator A.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/type_traits>

namespace jitune::bench {

template <class T, class A>
struct Square {
    __host__ __device__ A operator()(T x) const { return static_cast<A>(x) * static_cast<A>(x); }
};

template <class T, class A>
struct Magnitude {
    __host__ __device__ A operator()(T x) const {
        const A a = static_cast<A>(x);
        if constexpr (::cuda::std::is_unsigned_v<A>) {
            return a;
        } else {
            return a < A(0) ? -a : a;
        }
    }
};

template <class T, class A>
struct IsNonzero {
    __host__ __device__ A operator()(T x) const {
        if constexpr (sizeof(T) == 2) {
            return static_cast<A>(static_cast<float>(x) != 0.0F);
        } else {
            return static_cast<A>(x != T(0));
        }
    }
};

template <class A, class R>
struct DividedBy {
    std::int64_t n;
    __host__ __device__ R operator()(A a) const { return static_cast<R>(a) / static_cast<R>(n); }
};

template <class A>
struct SquareRoot {
    __host__ __device__ A operator()(A a) const { return ::sqrt(a); }
};

/// sum * exp(top): a sum of exponentials that does not overflow.
struct Exponentials {
    float top;
    float sum;
};

struct ToExponential {
    __host__ __device__ Exponentials operator()(float x) const { return {x, 1.0F}; }
};

struct AddExponentials {
    __device__ Exponentials operator()(Exponentials a, Exponentials b) const {
        return a.top < b.top ? Exponentials{b.top, b.sum + a.sum * __expf(a.top - b.top)}
                             : Exponentials{a.top, a.sum + b.sum * __expf(b.top - a.top)};
    }
};

struct Logarithm {
    __device__ float operator()(Exponentials a) const { return a.top + __logf(a.sum); }
};

/// Where row `row` begins.
struct RowStart {
    std::int32_t columns;
    __host__ __device__ std::int32_t operator()(std::int32_t row) const { return row * columns; }
};

}  // namespace jitune::bench
