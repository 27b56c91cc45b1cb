// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dispatch/engine.hpp"
#include "fake/fake_device.hpp"

namespace jitune::internal {

/// A kernel for FakeDevice: n int32 are summed to one. 12 configurations of `block` (32, 64, 128,
/// 256; default 64) and `items` (1, 2, 4; default 2).
/// `front_matter` is added to its front matter.
Kernel fake_sum_kernel(const std::string& front_matter = "");

/// Data that its candidates are tried on; for any kernel with the same sizes, inputs and outputs.
std::unique_ptr<const Workload> fake_sum_workload();

Problem fake_sum_problem(std::int64_t n = 1000);

/// The key under which an engine remembers the answer.
DispatchKey fake_sum_key(const Device& device, const Kernel& kernel, const Problem& problem);

/// "fake::sum<64, 2>": the name by which a FakeDevice is scripted.
std::string fake_sum(int block, int items);
inline const char* const kFakeDefault = "block=64 items=2";

// Kernels of its candidates; only right_sum is right.

void right_sum(const Launch& launch);
void wrong_sum(const Launch& launch);
void sum_that_writes_behind(const Launch& launch);
void sum_that_leaves_a_ticket(const Launch& launch);

}  // namespace jitune::internal
