// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <cuda_runtime_api.h>

#include "jitune/session.hpp"
#include "reduce_compare/problem.hpp"

namespace jitune::bench {

/// Enqueues one reduction of device memory. Flat results need 16 bytes.
using Call = std::function<void(const void* values, void* results)>;

/// One library's way to solve a problem on a stream, with everything slow done ahead.
struct Side {
    Call captured;  ///< for a graph
    Call plain;     ///< for a stream
    std::string how;
};

/// `offsets` of ragged problems are in device memory and must outlive the side, as must `stream`
/// and `session`. Tunes where neither the session nor its database has a winner.
Side jitune_side(const Problem& problem, const std::int64_t* offsets, cudaStream_t stream,
                 Session& session);

/// Null where CUB has no entry point for the shape or is not compared.
std::optional<Side> cub_side(const Problem& problem, const std::int64_t* offsets,
                             cudaStream_t stream);

}  // namespace jitune::bench
