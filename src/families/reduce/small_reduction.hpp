// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "families/reduce/reduce_call.hpp"

namespace jitune::internal {

class Engine;

/// Reduces a whole array of at most kSmallBytes in host memory by a kernel that comes compiled with
/// the library, without a look into tables or the thread's memory of calls. Does nothing and
/// returns false for other requests, for bad data, for an engine that works elsewhere, and if no
/// such kernel runs on this CPU. Thread-safe.
bool reduce_small(Engine& engine, const detail::ReduceRequest& request,
                  const detail::ReduceData& data);

}  // namespace jitune::internal
