// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "sweep/sweep_result.hpp"

namespace jitune::internal {

/// Chooses the order of a sweep's problems while it goes on. One call at a time, on any thread.
class SweepOrder {
public:
    virtual ~SweepOrder() = default;

    /// The problems that are to be tuned, the first one first. Others are not tuned unless a later
    /// order names them.
    virtual std::vector<std::size_t> begin() = 0;

    /// The problems that are to be tuned now that `row` is done, which took `seconds`. May name
    /// problems that other devices work on or have done: they are skipped.
    virtual std::vector<std::size_t> after(const SweepRow& row, double seconds) = 0;
};

}  // namespace jitune::internal
