// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <numbers>
#include <ranges>
#include <type_traits>
#include <vector>

#include "jitune/element_type.hpp"
#include "jitune/export.hpp"
#include "jitune/session.hpp"

struct CUstream_st;  // cudaStream_t and CUstream point to this

JITUNE_BEGIN_NAMESPACE

/// The entropy of the window around each element of a row-major array, whose elements are levels:
///
///     H = log N - (1/N) sum n log n
///
/// where the window has N elements and n of each level. At the borders a window is what the array
/// has of it.
struct Entropy {
    int window = 5;                 ///< its width and height: odd, 3 to 15
    int levels = 16;                ///< elements are 0 to levels - 1; 2 to 256
    double base = std::numbers::e;  ///< of the logarithm: positive, not 1
};

/// What the levels may be stored as.
template <class T>
concept LevelElement =
    std::same_as<T, std::uint8_t> || std::same_as<T, std::int32_t> || std::same_as<T, float>;

namespace detail {

/// An entropy without its data.
struct EntropyRequest {
    ElementType element;
    std::int64_t rows;
    std::int64_t columns;
    Entropy entropy;
};

JITUNE_API void entropy_host(Session& session, const EntropyRequest& request, const void* input,
                             float* output);
JITUNE_API void entropy_device(Session& session, const EntropyRequest& request, const void* input,
                               float* output, CUstream_st* stream);

/// Throws Error(usage) where an array of that shape does not have `size` elements. `what`: "input".
JITUNE_API void refuse_bad_array(const char* what, std::size_t size, std::int64_t rows,
                                 std::int64_t columns);

template <class Range>
concept HostLevels = std::ranges::contiguous_range<const Range> &&
    std::ranges::sized_range<const Range> && LevelElement<std::ranges::range_value_t<const Range>>;

}  // namespace detail

/// Enqueues on `stream`: output[y * columns + x] is the entropy around input[y * columns + x], of
/// rows * columns elements each in device memory. Natural entropies are off by less than 1e-6.
/// Returns before it is done; both arrays must stay until then, and must not overlap.
///
/// An element outside of [0, levels) counts as the nearest level, a NaN as level 0; a fraction is
/// rounded to a level near it.
///
/// The first call for a problem (element type, window, levels, size bucket, device) looks into the
/// database, and on a miss follows Options::on_miss; later calls only launch. Safe from any thread.
/// Pointers need the alignment of their element only. Nothing is launched where rows or columns is
/// 0. No work memory is needed, so that a call that has been made before can be captured.
///
/// Throws Error: usage (a window, levels or a base that there is not, a null or misaligned pointer,
/// overlapping arrays, a negative size, more than 2^31 - 1 rows or columns or 2^40 elements),
/// unavailable, compile, verify, device, not_prepared, forked, as tuned_reduce does.
template <LevelElement T>
void tuned_entropy(const T* device_input, std::int64_t rows, std::int64_t columns,
                   float* device_output, const Entropy& entropy = {}, CUstream_st* stream = nullptr,
                   Session& session = Session::standard()) {
    detail::entropy_device(session, {kElementType<T>, rows, columns, entropy}, device_input,
                           device_output, stream);
}

/// The same for a vector, array or span in host memory, into floats of the caller's own, which must
/// not overlap it. Options::device says where: on the host, on a GPU, or wherever it was fastest in
/// tuning. Returns when it is done; what `output` holds where it throws is no result. Throws
/// Error(usage) where one of the arrays is not rows * columns long.
template <detail::HostLevels Range, std::ranges::contiguous_range Output>
requires std::same_as < std::remove_reference_t<std::ranges::range_reference_t<Output>>,
float > void tuned_entropy(const Range& input, std::int64_t rows, std::int64_t columns,
                           Output&& output, const Entropy& entropy = {},
                           Session& session = Session::standard()) {
    using T = std::ranges::range_value_t<const Range>;
    detail::refuse_bad_array("input", std::ranges::size(input), rows, columns);
    detail::refuse_bad_array("output", std::ranges::size(output), rows, columns);
    detail::entropy_host(session, {kElementType<T>, rows, columns, entropy},
                         std::ranges::data(input), std::ranges::data(output));
}

/// The same into new memory, whose first use takes longer than the work on large arrays.
template <detail::HostLevels Range>
std::vector<float> tuned_entropy(const Range& input, std::int64_t rows, std::int64_t columns,
                                 const Entropy& entropy = {},
                                 Session& session = Session::standard()) {
    detail::refuse_bad_array("input", std::ranges::size(input), rows, columns);
    std::vector<float> output(std::ranges::size(input));
    tuned_entropy(input, rows, columns, output, entropy, session);
    return output;
}

JITUNE_END_NAMESPACE
