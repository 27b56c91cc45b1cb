// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace jitune::internal {

/// What windows that reach beyond the first or the last unit of an array find there.
enum class Ends : std::uint8_t {
    own,    ///< what the kernel makes of an array's ends
    valid,  ///< such units have no output
    wrap,   ///< the units of the other end, again and again
};

/// Units [from, from + count) of something, which become [to, to + count) of something else.
struct UnitCopy {
    std::size_t shard = 0;  ///< whose inputs are copied
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t count = 0;
    friend bool operator==(const UnitCopy&, const UnitCopy&) = default;
};

/// How one shard comes by its outputs. The body runs over its own inputs as if they were an array,
/// whose first and last outputs are wrong for want of neighbours; these come from the band, an
/// array of the inputs around them.
struct HaloShard {
    std::int64_t outputs = 0;
    /// Inputs [body_from, body_from + body) make outputs from the first on. 0: there is no body.
    std::int64_t body_from = 0;
    std::int64_t body = 0;
    /// The kernel gives an output for each input, also where the ends are valid.
    bool padded = false;
    std::int64_t band = 0;         ///< units of the band
    std::vector<UnitCopy> gather;  ///< inputs of shards to the band
    std::vector<UnitCopy> edges;   ///< the band's outputs to the shard's, after the body
};

/// For an array whose units, rows or elements, lie in shards of `counts` units one after the other,
/// and whose outputs are made from the `radius` units on either side; each output belongs to the
/// shard of the unit that it is made around. Any counts from 0 on, also below the radius: inputs
/// come from as many shards as it takes.
std::vector<HaloShard> halo_plan(std::span<const std::int64_t> counts, std::int64_t radius,
                                 Ends ends);

}  // namespace jitune::internal
