// SPDX-License-Identifier: Apache-2.0
// What the tests of kernels on emulated blocks reduce, and by what. After the kernel's own headers.
#pragma once

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {

/// Small whole numbers, of which every sum is exact.
template <class T>
std::vector<T> small_numbers(std::size_t n) {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<T>((i * 2654435761U) >> 7 & 31);
    }
    return values;
}

/// A sum with weights by the place in a segment, whose state has 3 or 12 bytes, as those of custom
/// operations may.
template <class Number, int count>
struct SumOfParts {
    struct State {
        Number parts[count];
    };
    template <class T, class A, class R>
    struct Operation {
        using State = typename SumOfParts::State;
        static constexpr Combination kCombination = Combination::other;
        static State identity() { return {}; }
        static State map(T x, Index i) {
            EXPECT_LE(x, 31) << "no element";
            EXPECT_LT(i, 10'000U) << "no place";
            State state{};
            state.parts[i % count] = static_cast<Number>(x);
            return state;
        }
        static State combine(State a, const State& b) {
            for (int i = 0; i < count; ++i) {
                a.parts[i] = static_cast<Number>(a.parts[i] + b.parts[i]);
            }
            return a;
        }
        static R result(const State& state, Index /*n*/) {
            R sum{};
            for (int i = 0; i < count; ++i) {
                sum = static_cast<R>(sum + static_cast<R>(i + 1) * state.parts[i]);
            }
            return sum;
        }
    };
};

}  // namespace jitune::internal
