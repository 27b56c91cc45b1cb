// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "reduce_compare/moments.hpp"
#include "reduce_compare/problem.hpp"

namespace jitune::bench {

/// What a reduction must answer: in `integer`, wrapped to the result's type, or in `real`.
struct Answer {
    bool is_real = false;
    std::int64_t integer = 0;
    double real = 0;
    double tolerance = 0;  ///< relative; 0 where every order gives the same bits
};

/// Of a flat problem over values with these moments.
Answer expected_answer(const Problem& problem, const Moments& moments);

/// Reads a result of type `type` from host memory at `bytes`.
Answer read_answer(ElementType type, const std::byte* bytes);

/// Whether `got` is `expected` within its tolerance.
bool agrees(const Answer& expected, const Answer& got);

}  // namespace jitune::bench
