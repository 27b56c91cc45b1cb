// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "dispatch/answer/call.hpp"
#include "dispatch/observe/call_counts.hpp"
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

/// An array of units on one GPU, with the addresses of its inputs and outputs. `padded` as in
/// HaloShard.
struct UnitArray {
    std::int64_t units;
    bool padded;
    const void* input;
    void* output;
};

/// The calls of a kernel on arrays of units.
class ShardKernel {
public:
    virtual ~ShardKernel() = default;

    /// The answer for an array, in the context of `site`. May take long.
    virtual const Resolved& resolve(Engine& engine, StreamSite& site, const UnitArray& array) = 0;

    /// Enqueues `array` on `lane`, whose context is current, with an answer of resolve(), which may
    /// have been for another number of units.
    virtual void launch(const StreamGroup::Lane& lane, const Resolved& resolved,
                        const UnitArray& array) = 0;

    /// Counts the calls of an answer on arrays of as many units.
    virtual CallCount& calls(const Resolved& resolved, const UnitArray& array) = 0;
};

/// `make_call(array)` gives the KernelCall on a UnitArray, which is used before the next is made.
template <class MakeCall>
class ShardCalls final : public ShardKernel {
public:
    explicit ShardCalls(MakeCall make_call) : make_call_(std::move(make_call)) {}

    const Resolved& resolve(Engine& engine, StreamSite& site, const UnitArray& array) override {
        return internal::resolve(engine, site, make_call_(array));
    }
    void launch(const StreamGroup::Lane& lane, const Resolved& resolved,
                const UnitArray& array) override {
        internal::launch(*lane.site, make_call_(array), resolved, lane.stream);
    }
    CallCount& calls(const Resolved& resolved, const UnitArray& array) override {
        return internal::calls_of(resolved, make_call_(array).sizes());
    }

private:
    MakeCall make_call_;
};

/// Enqueues the kernel on all shards. `words` tell the operation, with all that its launches read
/// from the host but sizes and addresses. Throws Error(usage) for null, misaligned and overlapping
/// arrays.
void run_on_shards(Engine& engine, ShardKernel& kernel, const Windows& windows, GroupKey words,
                   std::span<const detail::ShardData> shards, std::span<void* const> outputs,
                   ShardOutput wanted);

}  // namespace jitune::internal
