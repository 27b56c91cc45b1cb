#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/engine.hpp"
#include "jitune/reduce.hpp"

namespace jitune {

/// The built-in reduction for a backend: "cuda" or "host". Parsed once.
const Kernel& reduce_kernel(std::string_view backend);

Problem reduce_problem(ElementType type, ReduceOp op, std::int64_t n);

/// Throws Error(usage) that lists the names there are.
ElementType parse_element_type(std::string_view name);
ReduceOp parse_reduce_op(std::string_view name);

std::size_t bytes_of(ElementType type);

/// A reduction of data in host memory with the time of the reduction itself.
struct TimedReduction {
    alignas(8) std::byte value[8];  ///< of the element type
    DispatchInfo info;
    double seconds = 0;  ///< median of one reduction with the data on the device and its cache cold
};

/// Reduces `n` > 0 elements on `backend` (copied there first) and times it. Throws as tuned_reduce.
TimedReduction timed_reduce(Engine& engine, Backend& backend, ElementType type, const void* values,
                            std::size_t n, ReduceOp op);

}  // namespace jitune
