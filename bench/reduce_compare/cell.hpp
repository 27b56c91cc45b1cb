// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "reduce_compare/problem.hpp"
#include "reduce_compare/timing.hpp"

namespace jitune::bench {

/// One line of the comparison, but for how it is called.
struct Cell {
    Problem problem;
    std::size_t misaligned = 0;  ///< elements after a 256-byte boundary
    bool warm = false;           ///< all calls read the same values, which then are in the L2
};

enum class Way {
    chain,   ///< calls one after the other in a CUDA graph
    stream,  ///< calls enqueued one by one on a stream, host time included
};

const char* to_string(Way way);

struct Measured {
    Timing timing;
    bool right = false;  ///< every result of the timed calls, made once more over poison
    std::string how;
};

struct Result {
    Cell cell;
    Way way = Way::chain;
    Measured jitune;
    std::optional<Measured> cub;

    [[nodiscard]] double gbps(const Measured& side) const {
        return cell.problem.bytes() / side.timing.us * 1e-3;
    }
    /// CUB's time over jitune's.
    [[nodiscard]] double ratio() const { return cub->timing.us / jitune.timing.us; }
    /// Whether jitune takes longer than CUB by more than the medians' uncertainties together, and
    /// by more than `floor`, how far two measurements of the same thing differ.
    [[nodiscard]] bool slower(double floor) const;
    [[nodiscard]] bool right() const { return jitune.right && (!cub || cub->right); }
};

/// "float32 sum 2^20", "float32 sum rows 2^14 x 2^12", with "+1" for misaligned ones, "warm".
std::string text(const Cell& cell);

}  // namespace jitune::bench
