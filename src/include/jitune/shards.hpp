// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "jitune/entropy.hpp"
#include "jitune/reduce.hpp"
#include "jitune/stencil.hpp"

// Arrays in device memory that lie on several GPUs of one host, one part after the other.

JITUNE_BEGIN_NAMESPACE

/// One part of an array, on one GPU: `count` elements, or rows where the array has columns.
template <class T>
struct Shard {
    const T* data;  ///< not looked at where count is 0
    std::int64_t count;
    /// Of the GPU that has the data, and of no other shard. nullptr: that GPU's legacy default
    /// stream, in the calling thread's current context if it is of that GPU, else in its primary
    /// one.
    CUstream_st* stream = nullptr;
};

/// What the outputs of a call hold.
enum class ShardOutput : std::uint8_t {
    own,  ///< outputs[i] those of shard i
    all,  ///< each of them those of all shards, in order
};

namespace detail {

struct ShardData {
    const void* data;
    std::int64_t count;
    CUstream_st* stream;
};

JITUNE_API void entropy_shards(Session& session, const EntropyRequest& request,
                               std::span<const ShardData> shards, std::span<float* const> outputs,
                               ShardOutput wanted);
JITUNE_API void stencil_shards(Session& session, const StencilRequest& request,
                               std::span<const ShardData> shards, std::span<void* const> outputs,
                               ShardOutput wanted);
JITUNE_API void reduce_shards(Session& session, const ReduceRequest& request,
                              std::span<const ShardData> shards, void* result);
JITUNE_API void reduce_shards_async(Session& session, const ReduceRequest& request,
                                    std::span<const ShardData> shards,
                                    std::span<void* const> results);
JITUNE_API std::vector<std::int64_t> stencil_shard_outputs(std::span<const ShardData> shards,
                                                           const Stencil& stencil);

template <class>
struct ShardElementOf {};
template <class T>
struct ShardElementOf<Shard<T>> {
    using Type = std::remove_const_t<T>;
};

/// A vector, array or span of Shard<T>.
template <class Range>
concept ShardRange = std::ranges::contiguous_range<const Range> &&
    std::ranges::sized_range<const Range> && requires {
    typename ShardElementOf<std::ranges::range_value_t<Range>>::Type;
};
template <ShardRange Range>
using ShardElement = typename ShardElementOf<std::ranges::range_value_t<Range>>::Type;

template <ShardRange Range>
std::vector<ShardData> shard_data(const Range& shards) {
    std::vector<ShardData> data;
    for (const auto& shard : shards) {
        data.push_back({shard.data, shard.count, shard.stream});
    }
    return data;
}

}  // namespace detail

// What all calls have in common: each GPU works on its own shard, in the order of its stream, which
// goes on when its part is done and no other GPU reads the shard any more. The shards may be of any
// lengths, also 0 and also shorter than a window: what a window reaches is fetched from as many
// GPUs as have it. An output belongs to the shard of the element that it is made around.
//
// Two shards may be on one GPU, but not on one stream. GPUs are let into each other's memory where
// they can be. A call for few elements costs more than on one GPU: each fetch takes some
// microseconds.
//
// Every GPU that has a shard tunes for the size of its own; GPUs of one device class share winners
// through the database. Safe from any thread. A stream that is captured is refused.
//
// They throw Error as the calls for one GPU do; usage also for no shards, a negative count, two
// shards on one stream, a number of outputs that is not that of the shards, and outputs that
// overlap a shard. After Error(device) copies may still be under way: wait for the GPUs before
// their memory is used again.

/// Enqueues tuned_entropy of the rows of all shards, each `columns` long. outputs[i] is on the GPU
/// of shard i and has room for its rows, or those of all. Answers are those of one GPU.
template <detail::ShardRange Range>
requires LevelElement<detail::ShardElement<Range>>
void tuned_entropy(const Range& shards, std::int64_t columns, std::span<float* const> outputs,
                   const Entropy& entropy = {}, ShardOutput wanted = ShardOutput::own,
                   Session& session = Session::standard()) {
    using T = detail::ShardElement<Range>;
    detail::entropy_shards(session, {kElementType<T>, 0, columns, entropy},
                           detail::shard_data(shards), outputs, wanted);
}

/// How many outputs each shard has: as many as elements, but with Boundary::valid, where the first
/// and the last `radius` elements have none.
template <detail::ShardRange Range>
std::vector<std::int64_t> stencil_outputs(const Range& shards, const Stencil& stencil) {
    return detail::stencil_shard_outputs(detail::shard_data(shards), stencil);
}

/// Enqueues tuned_stencil of the elements of all shards. outputs[i] is on the GPU of shard i and
/// has room for stencil_outputs(shards, stencil)[i] values, or those of all. Answers are those of
/// one GPU, of floats within their rounding; the same shards give the same bits.
template <detail::ShardRange Range>
requires StencilElement<detail::ShardElement<Range>>
void tuned_stencil(const Range& shards, std::span<detail::ShardElement<Range>* const> outputs,
                   const Stencil& stencil, ShardOutput wanted = ShardOutput::own,
                   Session& session = Session::standard()) {
    using T = detail::ShardElement<Range>;
    const std::vector<void*> pointers(outputs.begin(), outputs.end());
    detail::stencil_shards(session, {kElementType<T>, stencil, 0}, detail::shard_data(shards),
                           pointers, wanted);
}

/// Reduces the elements of all shards, and waits for the value: each GPU reduces its own, and what
/// they give is combined in the shards' order. Reproducible as each GPU's part is. arg_min and
/// arg_max count from the first shard's start. Throws Error(usage) for custom operations, whose
/// answers cannot be combined.
template <class Result = void, detail::ShardRange Range>
requires Reducible<detail::ShardElement<Range>>
auto tuned_reduce(const Range& shards, const Reduction& reduction = {},
                  Session& session = Session::standard()) {
    using T = detail::ShardElement<Range>;
    detail::ResultOr<Result, T> result{};
    detail::reduce_shards(
        session, detail::request<T, decltype(result)>(reduction, detail::ReduceShape::all(0)),
        detail::shard_data(shards), &result);
    return result;
}

/// Enqueues the same; results[i], on the GPU of shard i, gets the value, with the same bits on all.
/// Every shard needs a GPU: one of no elements has a stream. Throws Error(usage) for mean, arg_min,
/// arg_max and custom operations, which are no reduction of the shards' values.
template <detail::ShardRange Range, Reducible R>
requires Reducible<detail::ShardElement<Range>>
void tuned_reduce(const Range& shards, const Reduction& reduction, std::span<R* const> results,
                  Session& session = Session::standard()) {
    using T = detail::ShardElement<Range>;
    const std::vector<void*> pointers(results.begin(), results.end());
    detail::reduce_shards_async(session,
                                detail::request<T, R>(reduction, detail::ReduceShape::all(0)),
                                detail::shard_data(shards), pointers);
}

JITUNE_END_NAMESPACE
