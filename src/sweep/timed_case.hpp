// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "dispatch/engine.hpp"

namespace jitune::internal {

/// The outcome of one launch on the caller's data.
struct TimedCase {
    std::vector<std::byte> output;  ///< the first output
    double seconds = 0;  ///< median of one call, with the cache as the template says and without
                         ///< transfers
};

/// Copies the inputs of `one` to the task's device, and launches and times `resolved`, the answer
/// to the task, there. `one.judge` is not used. Throws Error(device), and Error(unavailable) where
/// the device has too little memory or no compiler for a placement.
TimedCase time_case(Engine& engine, const Task& task, const Resolved& resolved, Case one);

/// An input with a copy of `bytes` bytes of memory, which need not be aligned.
CaseArgument input_of(const void* data, std::size_t bytes);

}  // namespace jitune::internal
