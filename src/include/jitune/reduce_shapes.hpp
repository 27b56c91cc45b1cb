// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "jitune/reduce.hpp"
#include "jitune/results.hpp"

// Reductions with many results: along the rows of a row-major matrix, along its columns, and of
// ragged segments. All that reduce.hpp says about tuned_reduce holds for them, too. They are tuned
// for each combination of the two sizes' buckets. arg_min and arg_max count from the start of the
// row, column or segment.

JITUNE_BEGIN_NAMESPACE

/// Enqueues on `stream`: out[r], for each of `rows` rows, combines the `columns` values of the row.
/// All arrays are in device memory.
template <Element T, Element R>
void tuned_reduce_rows(const T* in, std::int64_t rows, std::int64_t columns, R* out,
                       const Reduction& reduction = {}, CUstream_st* stream = nullptr,
                       Session& session = Session::standard()) {
    detail::reduce_device_async(
        session, detail::request<T, R>(reduction, detail::ReduceShape::rows(rows, columns)),
        {in, nullptr, out}, stream);
}

/// Enqueues on `stream`: out[c], for each of `columns` columns, combines the `rows` values of the
/// column, which are `columns` elements apart. All arrays are in device memory.
template <Element T, Element R>
void tuned_reduce_columns(const T* in, std::int64_t rows, std::int64_t columns, R* out,
                          const Reduction& reduction = {}, CUstream_st* stream = nullptr,
                          Session& session = Session::standard()) {
    detail::reduce_device_async(
        session, detail::request<T, R>(reduction, detail::ReduceShape::columns(rows, columns)),
        {in, nullptr, out}, stream);
}

/// Enqueues on `stream`: out[s], for each of `segments` segments, combines
/// in[offsets[s]] … in[offsets[s + 1] - 1]. All arrays are in device memory. The segments + 1
/// offsets must not decrease and must lie in [0, n]; they are not checked. An empty segment gives
/// the value of no elements, and -1 for arg_min and arg_max.
template <Element T, Element R>
void tuned_reduce_segments(const T* in, std::int64_t n, const std::int64_t* offsets,
                           std::int64_t segments, R* out, const Reduction& reduction = {},
                           CUstream_st* stream = nullptr, Session& session = Session::standard()) {
    detail::reduce_device_async(
        session, detail::request<T, R>(reduction, detail::ReduceShape::segments(segments, n)),
        {in, offsets, out}, stream);
}

namespace detail {

/// A std::vector<bool> has no array of bool, so bools are returned as bytes.
template <class R>
using ResultElement = std::conditional_t<std::is_same_v<R, bool>, std::uint8_t, R>;

/// Throws Error(usage) unless a rows x columns matrix has `size` values.
JITUNE_API void refuse_bad_matrix(std::int64_t size, std::int64_t rows, std::int64_t columns);

/// Throws Error(usage) if there is no offset, or if offsets decrease or leave [0, size].
JITUNE_API void refuse_bad_offsets(std::span<const std::int64_t> offsets, std::int64_t size);

/// Throws Error(usage) for a shape, an operation or a result type that no reduction has, before any
/// result is allocated.
JITUNE_API void refuse_bad_request(const ReduceRequest& request);

template <class Result, class Range>
auto reduce_shape(const Range& values, const std::int64_t* offsets, const Reduction& reduction,
                  const ReduceShape& shape, std::int64_t count, Session& session) {
    using T = ElementOfRange<const Range>;
    using R = ResultOr<Result, T>;
    const ReduceRequest wanted = request<T, R>(reduction, shape);
    refuse_bad_request(wanted);
    auto results = new_results<ResultElement<R>>("reduce", count);
    reduce_host(session, wanted, {std::ranges::data(values), offsets, results.data()});
    return results;
}

}  // namespace detail

/// Reduces the rows of a matrix in host memory; Options::device says where the work is done.
/// Returns a vector of `rows` results, of std::uint8_t if they are bool. Throws Error(usage)
/// unless `values` has rows * columns elements.
template <class Result = void, detail::HostValues Range>
[[nodiscard]] auto tuned_reduce_rows(const Range& values, std::int64_t rows, std::int64_t columns,
                                     const Reduction& reduction = {},
                                     Session& session = Session::standard()) {
    detail::refuse_bad_matrix(detail::length_of(values), rows, columns);
    return detail::reduce_shape<Result>(values, nullptr, reduction,
                                        detail::ReduceShape::rows(rows, columns), rows, session);
}

/// As tuned_reduce_rows for host memory, with a vector of `columns` results.
template <class Result = void, detail::HostValues Range>
[[nodiscard]] auto tuned_reduce_columns(const Range& values, std::int64_t rows,
                                        std::int64_t columns, const Reduction& reduction = {},
                                        Session& session = Session::standard()) {
    detail::refuse_bad_matrix(detail::length_of(values), rows, columns);
    return detail::reduce_shape<Result>(
        values, nullptr, reduction, detail::ReduceShape::columns(rows, columns), columns, session);
}

/// Reduces segments of an array in host memory: a vector of offsets.size() - 1 results. Throws
/// Error(usage) for offsets that decrease or leave the values.
template <class Result = void, detail::HostValues Range>
[[nodiscard]] auto tuned_reduce_segments(const Range& values, std::span<const std::int64_t> offsets,
                                         const Reduction& reduction = {},
                                         Session& session = Session::standard()) {
    const std::int64_t n = detail::length_of(values);
    detail::refuse_bad_offsets(offsets, n);
    const std::int64_t segments = detail::length_of(offsets) - 1;
    return detail::reduce_shape<Result>(values, offsets.data(), reduction,
                                        detail::ReduceShape::segments(segments, n), segments,
                                        session);
}

/// A PreparedReduce for tuned_reduce_rows: parameters as in prepare_reduce.
template <Element T, Element R = ReducedType<T>>
[[nodiscard]] PreparedReduce<T, R> prepare_reduce_rows(std::int64_t rows, std::int64_t columns,
                                                       const Reduction& reduction = {},
                                                       std::string_view device = {},
                                                       Session& session = Session::standard()) {
    return PreparedReduce<T, R>(detail::prepared_reduction(
        session, detail::request<T, R>(reduction, detail::ReduceShape::rows(rows, columns)),
        device));
}

/// A PreparedReduce for tuned_reduce_columns: parameters as in prepare_reduce.
template <Element T, Element R = ReducedType<T>>
[[nodiscard]] PreparedReduce<T, R> prepare_reduce_columns(std::int64_t rows, std::int64_t columns,
                                                          const Reduction& reduction = {},
                                                          std::string_view device = {},
                                                          Session& session = Session::standard()) {
    return PreparedReduce<T, R>(detail::prepared_reduction(
        session, detail::request<T, R>(reduction, detail::ReduceShape::columns(rows, columns)),
        device));
}

/// As PreparedReduce, for tuned_reduce_segments.
template <Element T, Element R = ReducedType<T>>
class PreparedSegmentedReduce {
public:
    explicit PreparedSegmentedReduce(detail::PreparedCall call) : call_(std::move(call)) {}

    /// As PreparedReduce's, with the offsets of tuned_reduce_segments. On the host the offsets are
    /// checked.
    void operator()(const T* in, const std::int64_t* offsets, R* out,
                    CUstream_st* stream = nullptr) const {
        call_.launch(in, offsets, out, stream);
    }

    [[nodiscard]] const DispatchInfo& info() const { return call_.info(); }

private:
    detail::PreparedCall call_;
};

/// A handle for `segments` segments of `n` elements in total: parameters as in prepare_reduce.
template <Element T, Element R = ReducedType<T>>
[[nodiscard]] PreparedSegmentedReduce<T, R> prepare_reduce_segments(
    std::int64_t n, std::int64_t segments, const Reduction& reduction = {},
    std::string_view device = {}, Session& session = Session::standard()) {
    return PreparedSegmentedReduce<T, R>(detail::prepared_reduction(
        session, detail::request<T, R>(reduction, detail::ReduceShape::segments(segments, n)),
        device));
}

JITUNE_END_NAMESPACE
