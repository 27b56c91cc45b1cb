// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>

#include "jitune/element_type.hpp"
#include "jitune/export.hpp"
#include "jitune/prepared_call.hpp"
#include "jitune/reduction.hpp"

struct CUstream_st;  // cudaStream_t and CUstream point to this

JITUNE_BEGIN_NAMESPACE

namespace detail {

/// Which elements are combined with each other. The numbers may have any value: calls check them.
struct ReduceShape {
    enum class Kind : std::uint8_t { all, rows, columns, segments } kind = Kind::all;
    std::int64_t outer = 1;  ///< rows, or segments
    std::int64_t inner = 0;  ///< all: elements; rows, columns: columns; segments: elements in total

    static ReduceShape all(std::int64_t n) { return {Kind::all, 1, n}; }
    static ReduceShape rows(std::int64_t rows, std::int64_t columns) {
        return {Kind::rows, rows, columns};
    }
    static ReduceShape columns(std::int64_t rows, std::int64_t columns) {
        return {Kind::columns, rows, columns};
    }
    static ReduceShape segments(std::int64_t segments, std::int64_t n) {
        return {Kind::segments, segments, n};
    }
};

/// A reduction without its data. Passed to the library by reference; the texts and the custom
/// operation that `reduction` refers to are the caller's and are read during the call only.
struct ReduceRequest {
    ElementType element;
    ElementType result;
    Reduction reduction;
    ReduceShape shape;
};

/// The arrays of a call, all in host memory or all on one device.
struct ReduceData {
    const void* values;
    const std::int64_t* offsets;  ///< of segments, else null
    void* results;
};

JITUNE_API void reduce_host(Session& session, const ReduceRequest& request, const ReduceData& data);
/// Waits for the one result and writes it to host memory.
JITUNE_API void reduce_device(Session& session, const ReduceRequest& request, const void* values,
                              void* result, CUstream_st* stream);
JITUNE_API void reduce_device_async(Session& session, const ReduceRequest& request,
                                    const ReduceData& data, CUstream_st* stream);

/// Reduces a problem that the calling thread has reduced before, if nothing but the launch is left
/// to do. Does nothing and returns false for other problems and for bad data.
JITUNE_API bool reduce_host_known(Session& session, const ReduceRequest& request,
                                  const ReduceData& data);
JITUNE_API bool reduce_device_known(Session& session, const ReduceRequest& request,
                                    const ReduceData& data, CUstream_st* stream);

/// `void` stands for the element type's default result.
template <class Result, class T>
using ResultOr = std::conditional_t<std::is_void_v<Result>, ReducedType<T>, Result>;

template <class T, class R>
ReduceRequest request(const Reduction& reduction, const ReduceShape& shape) {
    return {kElementType<T>, kElementType<R>, reduction, shape};
}

template <class Range>
using ElementOfRange = std::remove_cv_t<std::ranges::range_value_t<Range>>;

/// A vector, array or span of elements in host memory.
template <class Range>
concept HostValues = std::ranges::contiguous_range<const Range> &&
    std::ranges::sized_range<const Range> && Element<ElementOfRange<const Range>>;

/// The length of a range as jitune counts.
template <class Range>
std::int64_t length_of(const Range& range) {
    return static_cast<std::int64_t>(std::ranges::size(range));
}

}  // namespace detail

// Reductions of a whole array to one value. For all forms:
//
// - Arguments come in this order: inputs, sizes, output, operation, stream, session.
// - Counts are numbers of elements, from 0 to 2^40. A reduction of no elements is defined: see
//   ReduceOp.
// - Pointers need the alignment of their element only.
// - The result type is the one that is asked for, as in tuned_reduce<double>(floats), or else
//   ReducedType<T>. ReduceOp says which types an operation supports.
// - The first call for a problem (element and result type, operation, determinism, size bucket,
//   device) looks into the database. On a miss it follows Options::on_miss, which may take
//   Options::budget. Later calls only launch.
// - Every function may be called from any thread. Threads that need the same problem wait for one
//   of them.
//
// They throw Error: usage (a negative or too large count, a null pointer with n > 0, a misaligned
// pointer, results that overlap the values or the offsets, a result type that the operation does
// not support, a pinned configuration that does not parse), device (a CUDA call failed; an earlier
// error of the app's own context is reported, never cleared), unavailable, compile (for a custom
// operation with the compiler's output), verify (no configuration gave the right result),
// not_prepared, forked. Nothing in the database can make them throw or give a wrong result.

/// Reduces `n` values in device memory on `stream` (null: the legacy default stream) and writes one
/// R to `out`, also in device memory. Asynchronous: returns before the work is done, and both
/// arrays must stay until then. While `stream` is capturing, throws Error(not_prepared) if work
/// memory is needed, and leaves the capture alive: use prepare_reduce() there.
template <Element T, Element R>
void tuned_reduce(const T* in, std::int64_t n, R* out, const Reduction& reduction = {},
                  CUstream_st* stream = nullptr, Session& session = Session::standard()) {
    detail::reduce_device_async(session,
                                detail::request<T, R>(reduction, detail::ReduceShape::all(n)),
                                {in, nullptr, out}, stream);
}

/// Reduces `n` values in device memory on `stream`, waits, and returns the value. With a null
/// stream: the legacy default stream of the calling thread's current CUDA context, or of device 0's
/// primary context if no context is current.
template <class Result = void, Element T>
[[nodiscard]] auto tuned_reduce(const T* in, std::int64_t n, const Reduction& reduction = {},
                                CUstream_st* stream = nullptr,
                                Session& session = Session::standard()) {
    detail::ResultOr<Result, T> result{};
    detail::reduce_device(
        session, detail::request<T, decltype(result)>(reduction, detail::ReduceShape::all(n)), in,
        &result, stream);
    return result;
}

/// Reduces a vector, array or span in host memory and returns the value. Options::device says where
/// the work is done.
template <class Result = void, detail::HostValues Range>
[[nodiscard]] auto tuned_reduce(const Range& values, const Reduction& reduction = {},
                                Session& session = Session::standard()) {
    using T = detail::ElementOfRange<const Range>;
    detail::ResultOr<Result, T> result{};
    detail::reduce_host(session,
                        detail::request<T, decltype(result)>(
                            reduction, detail::ReduceShape::all(detail::length_of(values))),
                        {std::ranges::data(values), nullptr, &result});
    return result;
}

namespace detail {

/// `device` as in prepare_reduce.
JITUNE_API PreparedCall prepared_reduction(Session& session, const ReduceRequest& request,
                                           std::string_view device);

}  // namespace detail

/// A reduction with everything slow done ahead. Its calls only launch, so they can be captured into
/// a CUDA graph. All calls share the handle's scratch memory: do not let two of them, or a call and
/// a graph made from this handle, run at the same time. The handle must outlive the work and the
/// graphs, and its Session must outlive the handle. A call outside of a capture takes a winner that
/// has come since, if that changes no bits: for minima, maxima and sums of integers, and with
/// Determinism::any.
template <Element T, Element R = ReducedType<T>>
class PreparedReduce {
public:
    explicit PreparedReduce(detail::PreparedCall call) : call_(std::move(call)) {}

    /// Enqueues the reduction on `stream`, for the sizes that were given to prepare_reduce. Returns
    /// before the work is done; on the host, when it is done. Throws Error: device, usage (null or
    /// misaligned pointer), forked.
    void operator()(const T* in, R* out, CUstream_st* stream = nullptr) const {
        call_.launch(in, nullptr, out, stream);
    }

    /// The configuration that answers, and its origin.
    [[nodiscard]] const DispatchInfo& info() const { return call_.info(); }

private:
    detail::PreparedCall call_;
};

/// Finds or tunes, compiles, loads and allocates for `n` elements on `device`: a device id such as
/// "cuda:0"; "host", whose calls take host pointers and ignore the stream; "auto", which is "host"
/// as Options::device = "auto" is; or empty for the device of the calling thread's current CUDA
/// context, or device 0 if no context is current. Throws as tuned_reduce does.
template <Element T, Element R = ReducedType<T>>
[[nodiscard]] PreparedReduce<T, R> prepare_reduce(std::int64_t n, const Reduction& reduction = {},
                                                  std::string_view device = {},
                                                  Session& session = Session::standard()) {
    return PreparedReduce<T, R>(detail::prepared_reduction(
        session, detail::request<T, R>(reduction, detail::ReduceShape::all(n)), device));
}

JITUNE_END_NAMESPACE
