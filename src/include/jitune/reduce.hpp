// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "jitune/element_type.hpp"
#include "jitune/export.hpp"
#include "jitune/reduction.hpp"
#include "jitune/session.hpp"

struct CUstream_st;  // cudaStream_t and CUstream point to this

JITUNE_BEGIN_NAMESPACE

namespace detail {

/// Which elements are combined with each other.
struct ReduceShape {
    enum class Kind : std::uint8_t { all, rows, columns, segments } kind = Kind::all;
    std::int64_t outer = 1;  ///< rows, or segments
    std::int64_t inner = 0;  ///< all: elements; rows, columns: columns; segments: elements in all

    static ReduceShape all(std::size_t n) { return {Kind::all, 1, clamped(n)}; }
    static ReduceShape rows(std::size_t rows, std::size_t columns) {
        return {Kind::rows, clamped(rows), clamped(columns)};
    }
    static ReduceShape columns(std::size_t rows, std::size_t columns) {
        return {Kind::columns, clamped(rows), clamped(columns)};
    }
    static ReduceShape segments(std::size_t segments, std::size_t n) {
        return {Kind::segments, clamped(segments), clamped(n)};
    }

private:
    /// A size that no machine has stays too large and is refused.
    static std::int64_t clamped(std::size_t size) {
        return static_cast<std::int64_t>(size < (std::size_t{1} << 62) ? size
                                                                       : std::size_t{1} << 62);
    }
};

/// A reduction without its data.
struct ReduceRequest {
    ElementType element;
    ElementType result;
    Reduction reduction;
    ReduceShape shape;
};

/// Pointers of one memory: all of the host or all of the device.
struct ReduceData {
    const void* values;
    const std::int64_t* offsets;  ///< of segments, else null
    void* results;
};

JITUNE_API void reduce_host(Session& session, const ReduceRequest& request, const ReduceData& data);
JITUNE_API void reduce_device(Session& session, const ReduceRequest& request, const void* values,
                              void* result);
JITUNE_API void reduce_device_async(Session& session, const ReduceRequest& request,
                                    const ReduceData& data, CUstream_st* stream);

/// `void` stands for the element type's own result.
template <class Result, class T>
using ResultOr = std::conditional_t<std::is_void_v<Result>, ReducedType<T>, Result>;

template <class T, class R>
ReduceRequest request(const Reduction& reduction, const ReduceShape& shape) {
    return {kElementType<T>, kElementType<R>, reduction, shape};
}

template <class Range>
using ElementOfRange = std::remove_cv_t<std::ranges::range_value_t<Range>>;

template <class Range>
concept HostValues = std::ranges::contiguous_range<const Range> &&
    std::ranges::sized_range<const Range> && Reducible<ElementOfRange<const Range>>;

}  // namespace detail

/// All forms below: the first call for a problem (element and result type, operation, determinism,
/// size bucket, device) looks into the database, and on a miss follows Options::on_miss, which may
/// take Options::budget; later calls only launch. Safe from any thread; threads that need the same
/// problem wait for one of them. Pointers need the alignment of their element only. n up to 2^40.
///
/// The result is of the type that is asked for, tuned_reduce<double>(floats), else of
/// ReducedType<T>; ReduceOp says which types an operation has.
///
/// They throw Error: usage (null pointer with n > 0, a result type that the operation does not
/// have, a pinned configuration that is none), device (a CUDA call failed; an earlier error of the
/// app's own context is reported, never cleared), unavailable, compile (for a custom operation with
/// the compiler's words), verify (tuning found no configuration that answers rightly),
/// not_prepared, forked. Nothing in the database can make them throw or answer wrongly.

/// Reduces host memory: a vector, array or span. Runs on the host backend, where the data is,
/// unless Options::device names a CUDA device, which the data is then copied to.
template <class Result = void, detail::HostValues Range>
auto tuned_reduce(const Range& values, const Reduction& reduction = {},
                  Session& session = Session::standard()) {
    using T = detail::ElementOfRange<const Range>;
    detail::ResultOr<Result, T> result{};
    detail::reduce_host(session,
                        detail::request<T, decltype(result)>(
                            reduction, detail::ReduceShape::all(std::ranges::size(values))),
                        {std::ranges::data(values), nullptr, &result});
    return result;
}

/// Reduces device memory of the calling thread's current CUDA context (of device 0's primary
/// context where none is current) on its legacy default stream, and waits for the value.
template <class Result = void, Reducible T>
auto tuned_reduce(const T* device_values, std::size_t n, const Reduction& reduction = {},
                  Session& session = Session::standard()) {
    detail::ResultOr<Result, T> result{};
    detail::reduce_device(
        session, detail::request<T, decltype(result)>(reduction, detail::ReduceShape::all(n)),
        device_values, &result);
    return result;
}

/// Enqueues the reduction of device memory on `stream`; one R is written to device_result. Returns
/// before it is done. The values must stay until then. While `stream` is capturing it throws
/// Error(not_prepared) where work memory is needed, and leaves the capture alive: use
/// prepare_reduce() for that.
template <Reducible T, Reducible R>
void tuned_reduce(const T* device_values, std::size_t n, const Reduction& reduction,
                  R* device_result, CUstream_st* stream, Session& session = Session::standard()) {
    detail::reduce_device_async(session,
                                detail::request<T, R>(reduction, detail::ReduceShape::all(n)),
                                {device_values, nullptr, device_result}, stream);
}

namespace detail {

/// A resolved problem with scratch memory of its own.
class JITUNE_API PreparedReduction {
public:
    /// `device` as in prepare_reduce.
    PreparedReduction(Session& session, const ReduceRequest& request, std::string_view device);
    ~PreparedReduction();
    PreparedReduction(PreparedReduction&&) noexcept;
    PreparedReduction& operator=(PreparedReduction&&) noexcept;

    void launch(const ReduceData& data, CUstream_st* stream) const;
    [[nodiscard]] const DispatchInfo& info() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace detail

/// A reduction with everything slow done ahead. Its calls only launch, so they can be captured into
/// a CUDA graph. They share scratch memory: do not let two of them, or a call and a graph made from
/// this handle, run at the same time. The handle must outlive the work and the graphs, and its
/// Session must outlive the handle.
template <Reducible T, Reducible R = ReducedType<T>>
class PreparedReduce {
public:
    explicit PreparedReduce(detail::PreparedReduction reduction)
        : reduction_(std::move(reduction)) {}

    /// Enqueues the reduction of the `n` values of prepare_reduce on `stream`. Throws
    /// Error(device), Error(usage) for a null pointer, Error(forked).
    void operator()(const T* device_values, R* device_result, CUstream_st* stream) const {
        reduction_.launch({device_values, nullptr, device_result}, stream);
    }

    [[nodiscard]] const DispatchInfo& info() const { return reduction_.info(); }

private:
    detail::PreparedReduction reduction_;
};

/// Finds, tunes, compiles, loads and allocates for `n` elements on `device`: a device id such as
/// "cuda:0" or "host" (whose calls take host pointers, ignore the stream and return when done), or
/// empty for the device of the calling thread's current CUDA context, device 0 where none is
/// current. Throws as tuned_reduce does.
template <Reducible T, Reducible R = ReducedType<T>>
PreparedReduce<T, R> prepare_reduce(std::size_t n, const Reduction& reduction = {},
                                    Session& session = Session::standard(),
                                    std::string_view device = {}) {
    return PreparedReduce<T, R>(detail::PreparedReduction(
        session, detail::request<T, R>(reduction, detail::ReduceShape::all(n)), device));
}

JITUNE_END_NAMESPACE
