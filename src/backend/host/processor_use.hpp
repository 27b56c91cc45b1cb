// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backend/device.hpp"

namespace jitune::internal {

/// The numbers of the processors that this process may use; none if the system does not say.
std::vector<int> usable_processors();

/// Reads the scheduler's counters of all threads of this process that are alive, and returns their
/// sum. Linux updates the counter of a running thread once in a tick of some milliseconds. Returns
/// nothing if the system has no such counters. Takes some microseconds for each thread.
std::optional<ProcessorUse> processor_use();

/// The share of the usable processors' time that other processes take, in the 100 ms that it waits;
/// from 0 to 1. Nothing if the system does not say.
std::optional<double> processors_taken();

}  // namespace jitune::internal
