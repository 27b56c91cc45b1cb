// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "jitune/reduce.hpp"

namespace jitune::bench {

/// A reduction of a program, and how often it called it.
struct TracedCall {
    detail::ReduceRequest request;
    std::int64_t calls = 0;
};

/// The calls of a file of bench/traces. Throws Error(usage) for any other file.
std::vector<TracedCall> read_trace(const std::filesystem::path& path);

}  // namespace jitune::bench
