// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "families/reduce/reduce_call.hpp"

namespace jitune::internal {

class Engine;

/// Reduces a whole array of at most kSmallBytes in host memory by a kernel that comes compiled with
/// the library, and nothing else: no table, no memory of calls. False, and nothing is done, for
/// other requests, bad data, an engine that works elsewhere, and where no such kernel runs on this
/// CPU. Thread-safe.
bool reduce_small(Engine& engine, const detail::ReduceRequest& request,
                  const detail::ReduceData& data);

}  // namespace jitune::internal
