// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dispatch/answer/call_memo.hpp"
#include "dispatch/engine.hpp"
#include "jitune/shards.hpp"
#include "spread/halo_plan.hpp"

namespace jitune::internal {

/// The number of elements or rows of all shards. Throws Error(usage), which begins with `what`, for
/// no shards, a negative count, more than 2^40 in total, or a number of outputs that differs from
/// the number of shards.
std::int64_t count_of(const std::string& what, std::span<const detail::ShardData> shards,
                      std::size_t outputs);

/// The streams of the shards. The GPU of a shard without elements and without a stream is that of
/// its output.
std::unique_ptr<StreamGroup> group_of(Engine& engine, std::span<const detail::ShardData> shards,
                                      std::span<void* const> outputs);

/// A kernel over windows, on shards of an array whose units are elements or rows.
class WindowKernel {
public:
    virtual ~WindowKernel() = default;

    [[nodiscard]] virtual std::string name() const = 0;            ///< for messages
    [[nodiscard]] virtual std::size_t input_bytes() const = 0;     ///< of one element
    [[nodiscard]] virtual std::size_t output_bytes() const = 0;    ///< of one output
    [[nodiscard]] virtual std::int64_t unit_elements() const = 0;  ///< 1, or the columns

    /// An array of units, with the addresses of its inputs and outputs. `padded` as in HaloShard.
    struct Array {
        std::int64_t units;
        bool padded;
        const void* input;
        void* output;
    };

    /// The answer for an array, in the context of `site`. May take long.
    virtual const Resolved& resolve(Engine& engine, StreamSite& site, const Array& array) = 0;

    /// Enqueues `array` on `lane`, whose context is current, with an answer of resolve(), which may
    /// have been for another number of units.
    virtual void launch(const StreamGroup::Lane& lane, const Resolved& resolved,
                        const Array& array) = 0;
};

/// Enqueues the kernel on all shards. Its windows reach `radius` units to either side. Throws
/// Error(usage) for null, misaligned and overlapping arrays.
void run_on_shards(Engine& engine, WindowKernel& kernel, std::span<const detail::ShardData> shards,
                   std::span<void* const> outputs, std::int64_t radius, Ends ends,
                   ShardOutput wanted);

}  // namespace jitune::internal
