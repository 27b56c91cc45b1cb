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

/// One part of an array, on one GPU: `count` elements, or rows if the array has columns.
template <class T>
struct Shard {
    const T* data;  ///< device memory; not read if count is 0
    std::int64_t count;
    /// A stream of the GPU that holds the data; no other shard may use it. Null: that GPU's legacy
    /// default stream, in the calling thread's current context if that is on the same GPU, else in
    /// its primary context.
    CUstream_st* stream = nullptr;
};

/// Which outputs each shard receives.
enum class ShardOutput : std::uint8_t {
    own,  ///< outputs[i] receives the outputs of shard i
    all,  ///< each of `outputs` receives the outputs of all shards, in order
};

namespace detail {

/// A Shard without its type.
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

/// A vector, array or span of pointers to elements.
template <class Range>
concept PointerRange = std::ranges::contiguous_range<const Range> &&
    std::ranges::sized_range<const Range> && std::is_pointer_v<std::ranges::range_value_t<Range>> &&
    Element<std::remove_pointer_t<std::ranges::range_value_t<Range>>>;
template <PointerRange Range>
using Pointee = std::remove_pointer_t<std::ranges::range_value_t<Range>>;

template <ShardRange Range>
std::vector<ShardData> shard_data(const Range& shards) {
    std::vector<ShardData> data;
    for (const auto& shard : shards) {
        data.push_back({shard.data, shard.count, shard.stream});
    }
    return data;
}

}  // namespace detail

// Arguments come in this order: shards, columns, outputs, operation, which outputs are wanted,
// session.
//
// Each GPU works on its own shard, in the order of the shard's stream. The stream goes on when its
// part is done and no other GPU reads the shard any more. Shards may have any lengths, also 0, and
// may be shorter than a window: a window's inputs are fetched from as many GPUs as hold them. An
// output belongs to the shard that holds the element at the window's centre.
//
// Two shards may be on one GPU, but not on one stream. GPUs are given access to each other's memory
// if the hardware allows it. A call for few elements takes longer than on one GPU: each fetch
// takes some microseconds.
//
// Every GPU that has a shard tunes for the size of its own shard. GPUs of one device class share
// winners through the database. The functions may be called from any thread. A stream that is being
// captured is refused.
//
// They throw Error as the calls for one GPU do. They also throw Error(usage) for no shards, a
// negative count, two shards on one stream, a number of outputs that differs from the number of
// shards, and outputs that overlap a shard. After Error(device) copies may still be running: wait
// for the GPUs before their memory is used again.

/// Enqueues tuned_entropy of the rows of all shards, each `columns` elements long. outputs[i] is on
/// the GPU of shard i and has room for its rows, or for those of all shards. Results are those of
/// one GPU.
template <detail::ShardRange Range>
requires LevelElement<detail::ShardElement<Range>>
void tuned_entropy(const Range& shards, std::int64_t columns, std::span<float* const> outputs,
                   const Entropy& entropy = {}, ShardOutput wanted = ShardOutput::own,
                   Session& session = Session::standard()) {
    using T = detail::ShardElement<Range>;
    detail::entropy_shards(session, {kElementType<T>, 0, columns, entropy},
                           detail::shard_data(shards), outputs, wanted);
}

/// The number of outputs of each shard: its number of elements, except that with Boundary::valid
/// the first and the last `radius` elements of the array have no output.
template <detail::ShardRange Range>
[[nodiscard]] std::vector<std::int64_t> stencil_outputs(const Range& shards,
                                                        const Stencil& stencil) {
    return detail::stencil_shard_outputs(detail::shard_data(shards), stencil);
}

/// Enqueues tuned_stencil of the elements of all shards. outputs[i] is on the GPU of shard i and
/// has room for stencil_outputs(shards, stencil)[i] values, or for those of all shards. Results are
/// those of one GPU, for floats within their rounding; the same shards give the same bits.
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

/// Reduces the elements of all shards, waits, and returns the value. Each GPU reduces its own
/// shard; the partial results are combined in the shards' order. As reproducible as each GPU's part
/// is. arg_min and arg_max count from the first shard's start. Throws Error(usage) for custom
/// operations, whose partial results cannot be combined.
template <class Result = void, detail::ShardRange Range>
requires Element<detail::ShardElement<Range>>
[[nodiscard]] auto tuned_reduce(const Range& shards, const Reduction& reduction = {},
                                Session& session = Session::standard()) {
    using T = detail::ShardElement<Range>;
    detail::ResultOr<Result, T> result{};
    detail::reduce_shards(
        session, detail::request<T, decltype(result)>(reduction, detail::ReduceShape::all(0)),
        detail::shard_data(shards), &result);
    return result;
}

/// Enqueues the reduction of all shards. results[i], on the GPU of shard i, receives the value; all
/// receive the same bits. Every shard needs a GPU: a shard without elements needs a stream. Throws
/// Error(usage) for mean, arg_min, arg_max and custom operations, which cannot be computed from the
/// shards' results alone.
template <detail::ShardRange Range, detail::PointerRange Results>
requires Element<detail::ShardElement<Range>>
void tuned_reduce(const Range& shards, const Results& results, const Reduction& reduction = {},
                  Session& session = Session::standard()) {
    using T = detail::ShardElement<Range>;
    using R = detail::Pointee<Results>;
    const std::vector<void*> pointers(std::ranges::begin(results), std::ranges::end(results));
    detail::reduce_shards_async(session,
                                detail::request<T, R>(reduction, detail::ReduceShape::all(0)),
                                detail::shard_data(shards), pointers);
}

JITUNE_END_NAMESPACE
