// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace jitune::internal {

/// How windows that reach beyond the first or the last unit of an array are handled.
enum class Ends : std::uint8_t {
    own,    ///< as only the kernel knows
    valid,  ///< their units have no output
    zero,   ///< they read zeros
    clamp,  ///< they read the nearest unit
    wrap,   ///< they read the units of the other end, repeatedly if need be
};

/// How the outputs of an operation depend on its inputs. An array has units, which are elements or
/// rows. The output of a unit is made from this unit and the `radius` units on either side.
struct Windows {
    const char* name;                ///< of the operation, for messages
    std::size_t input_bytes;         ///< of one element
    std::size_t output_bytes;        ///< of one output
    std::int64_t unit_elements = 1;  ///< 1, or the columns
    std::int64_t radius = 0;
    Ends ends = Ends::own;

    /// The bytes of the inputs of some units, and of as many units of outputs.
    [[nodiscard]] std::size_t bytes_in(std::int64_t units) const {
        return static_cast<std::size_t>(units * unit_elements) * input_bytes;
    }
    [[nodiscard]] std::size_t bytes_out(std::int64_t units) const {
        return static_cast<std::size_t>(units * unit_elements) * output_bytes;
    }
};

/// A copy of units [from, from + count) of one array to [to, to + count) of another.
struct UnitCopy {
    std::size_t shard = 0;  ///< the shard whose inputs are copied
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t count = 0;
    friend bool operator==(const UnitCopy&, const UnitCopy&) = default;
};

/// How one shard's outputs are made. The body runs over the shard's own inputs as if they were an
/// array of their own, so that its first and last outputs lack neighbours and are wrong. The band,
/// a small array of the inputs around them, makes these outputs again.
struct HaloShard {
    std::int64_t outputs = 0;
    /// Inputs [body_from, body_from + body) make outputs from the first on. body 0: no body.
    std::int64_t body_from = 0;
    std::int64_t body = 0;
    /// The kernel must write an output for each input, even if the ends are valid.
    bool padded = false;
    std::int64_t band = 0;         ///< units of the band
    std::vector<UnitCopy> gather;  ///< from the inputs of shards to the band
    std::vector<UnitCopy> edges;   ///< from the band's outputs to the shard's, after the body
};

/// The plan of each shard of an array. The units, rows or elements, lie in shards of `counts` units
/// one after the other. An output is made from its unit and the `radius` units on either side, and
/// belongs to the shard of its unit. Counts may be 0 and may be below the radius: inputs are then
/// gathered from several shards.
std::vector<HaloShard> halo_plan(std::span<const std::int64_t> counts, std::int64_t radius,
                                 Ends ends);

}  // namespace jitune::internal
