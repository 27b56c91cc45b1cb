// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "jitune/reduce.hpp"

// Reductions with many results: along the rows of a row-major matrix, along its columns, and of
// ragged segments. They behave as tuned_reduce in every other respect; work is tuned for each
// combination of the two sizes' buckets. arg_min and arg_max count from the start of the row,
// column or segment.

JITUNE_BEGIN_NAMESPACE

/// Enqueues on `stream`: each of `rows` results combines `columns` values that lie one after the
/// other.
template <Reducible T, Reducible R>
void tuned_reduce_rows(const T* device_values, std::size_t rows, std::size_t columns,
                       const Reduction& reduction, R* device_results, CUstream_st* stream,
                       Session& session = Session::standard()) {
    detail::reduce_device_async(
        session, detail::request<T, R>(reduction, detail::ReduceShape::rows(rows, columns)),
        {device_values, nullptr, device_results}, stream);
}

/// Enqueues on `stream`: each of `columns` results combines `rows` values that are `columns` apart.
template <Reducible T, Reducible R>
void tuned_reduce_columns(const T* device_values, std::size_t rows, std::size_t columns,
                          const Reduction& reduction, R* device_results, CUstream_st* stream,
                          Session& session = Session::standard()) {
    detail::reduce_device_async(
        session, detail::request<T, R>(reduction, detail::ReduceShape::columns(rows, columns)),
        {device_values, nullptr, device_results}, stream);
}

/// Enqueues on `stream`: result s combines values[offsets[s], offsets[s + 1]). The segments + 1
/// offsets are in device memory, do not decrease, and lie in [0, n]; they are not checked. An empty
/// segment gives the value of no elements, and -1 for arg_min and arg_max.
template <Reducible T, Reducible R>
void tuned_reduce_segments(const T* device_values, std::size_t n,
                           const std::int64_t* device_offsets, std::size_t segments,
                           const Reduction& reduction, R* device_results, CUstream_st* stream,
                           Session& session = Session::standard()) {
    detail::reduce_device_async(
        session, detail::request<T, R>(reduction, detail::ReduceShape::segments(segments, n)),
        {device_values, device_offsets, device_results}, stream);
}

namespace detail {

/// A vector can hold no array of bool.
template <class R>
using Results = std::vector<std::conditional_t<std::is_same_v<R, bool>, std::uint8_t, R>>;

/// Throws Error(usage) where a matrix of that shape does not have `size` values.
JITUNE_API void refuse_bad_matrix(std::size_t size, std::size_t rows, std::size_t columns);

/// Throws Error(usage) for offsets that decrease, are none, or leave [0, size].
JITUNE_API void refuse_bad_offsets(std::span<const std::int64_t> offsets, std::size_t size);

template <class Result, class Range>
auto reduce_shape(const Range& values, const std::int64_t* offsets, const Reduction& reduction,
                  const ReduceShape& shape, std::size_t count, Session& session) {
    using T = ElementOfRange<const Range>;
    using R = ResultOr<Result, T>;
    Results<R> results(count);
    reduce_host(session, request<T, R>(reduction, shape),
                {std::ranges::data(values), offsets, results.data()});
    return results;
}

}  // namespace detail

/// The same for host memory, on the host backend unless Options::device names a GPU: a vector of
/// `rows` results (of std::uint8_t where they are bool). Throws Error(usage) where `values` is not
/// rows * columns long.
template <class Result = void, detail::HostValues Range>
auto tuned_reduce_rows(const Range& values, std::size_t rows, std::size_t columns,
                       const Reduction& reduction = {}, Session& session = Session::standard()) {
    detail::refuse_bad_matrix(std::ranges::size(values), rows, columns);
    return detail::reduce_shape<Result>(values, nullptr, reduction,
                                        detail::ReduceShape::rows(rows, columns), rows, session);
}

template <class Result = void, detail::HostValues Range>
auto tuned_reduce_columns(const Range& values, std::size_t rows, std::size_t columns,
                          const Reduction& reduction = {}, Session& session = Session::standard()) {
    detail::refuse_bad_matrix(std::ranges::size(values), rows, columns);
    return detail::reduce_shape<Result>(
        values, nullptr, reduction, detail::ReduceShape::columns(rows, columns), columns, session);
}

/// Throws Error(usage) for offsets that decrease or leave the values.
template <class Result = void, detail::HostValues Range>
auto tuned_reduce_segments(const Range& values, std::span<const std::int64_t> offsets,
                           const Reduction& reduction = {},
                           Session& session = Session::standard()) {
    detail::refuse_bad_offsets(offsets, std::ranges::size(values));
    const std::size_t segments = offsets.size() - 1;
    return detail::reduce_shape<Result>(
        values, offsets.data(), reduction,
        detail::ReduceShape::segments(segments, std::ranges::size(values)), segments, session);
}

/// Handles for the shapes, as PreparedReduce is one for all elements.
template <Reducible T, Reducible R = ReducedType<T>>
PreparedReduce<T, R> prepare_reduce_rows(std::size_t rows, std::size_t columns,
                                         const Reduction& reduction = {},
                                         Session& session = Session::standard(),
                                         std::string_view device = {}) {
    return PreparedReduce<T, R>(detail::PreparedReduction(
        session, detail::request<T, R>(reduction, detail::ReduceShape::rows(rows, columns)),
        device));
}

template <Reducible T, Reducible R = ReducedType<T>>
PreparedReduce<T, R> prepare_reduce_columns(std::size_t rows, std::size_t columns,
                                            const Reduction& reduction = {},
                                            Session& session = Session::standard(),
                                            std::string_view device = {}) {
    return PreparedReduce<T, R>(detail::PreparedReduction(
        session, detail::request<T, R>(reduction, detail::ReduceShape::columns(rows, columns)),
        device));
}

template <Reducible T, Reducible R = ReducedType<T>>
class PreparedSegmentedReduce {
public:
    explicit PreparedSegmentedReduce(detail::PreparedReduction reduction)
        : reduction_(std::move(reduction)) {}

    /// As PreparedReduce's, with the offsets of tuned_reduce_segments.
    void operator()(const T* device_values, const std::int64_t* device_offsets, R* device_results,
                    CUstream_st* stream) const {
        reduction_.launch({device_values, device_offsets, device_results}, stream);
    }

    [[nodiscard]] const DispatchInfo& info() const { return reduction_.info(); }

private:
    detail::PreparedReduction reduction_;
};

template <Reducible T, Reducible R = ReducedType<T>>
PreparedSegmentedReduce<T, R> prepare_reduce_segments(std::size_t segments, std::size_t n,
                                                      const Reduction& reduction = {},
                                                      Session& session = Session::standard(),
                                                      std::string_view device = {}) {
    return PreparedSegmentedReduce<T, R>(detail::PreparedReduction(
        session, detail::request<T, R>(reduction, detail::ReduceShape::segments(segments, n)),
        device));
}

JITUNE_END_NAMESPACE
