// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "families/reduce/reduce_layout.hpp"
#include "families/reduce/reduce_reference.hpp"

namespace jitune::internal {

/// Puts into runs the element that alone decides the result, for operations that have one: by turns
/// as the first, the middle, the last or nowhere. `turn` says where it starts. For arg_min and
/// arg_max every other turn has it twice.
void plant_decisive(const ReduceTypes& types, const ReduceLayout& layout, std::size_t turn,
                    std::vector<std::byte>& data);

/// How many kinds of special values an operation over these elements is tried with: NaN,
/// infinities, zeros of both signs, runs of the extreme that stands for no elements.
std::size_t specials_of(const ReduceTypes& types);

/// Puts special values into runs, of another kind in each; `turn` says which comes first.
void plant_specials(const ReduceTypes& types, const ReduceLayout& layout, std::size_t turn,
                    std::vector<std::byte>& data);

}  // namespace jitune::internal
