// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "jitune/element_type.hpp"
#include "jitune/export.hpp"
#include "jitune/prepared_call.hpp"
#include "jitune/results.hpp"

struct CUstream_st;  // cudaStream_t and CUstream point to this

JITUNE_BEGIN_NAMESPACE

/// The entropy of the window around each element of a row-major array, whose elements are levels:
///
///     H = log N - (1/N) sum n log n
///
/// where the window has N elements, and the sum runs over the levels, of which each occurs n times.
/// At the borders a window contains only elements that the array has.
struct Entropy {
    int window = 5;                 ///< width and height in elements: odd, 3 to 15
    int levels = 16;                ///< number of levels, 2 to 256; elements are 0 to levels - 1
    double base = std::numbers::e;  ///< of the logarithm: positive, not 1
};

/// The element types that levels may be stored as.
template <class T>
concept LevelElement =
    std::same_as<T, std::uint8_t> || std::same_as<T, std::int32_t> || std::same_as<T, float>;

namespace detail {

/// An entropy without its data. Passed to the library by reference.
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

/// Throws Error(usage) unless a rows x columns array has `size` elements. `what`: "input".
JITUNE_API void refuse_bad_array(const char* what, std::size_t size, std::int64_t rows,
                                 std::int64_t columns);

/// A vector, array or span of levels in host memory.
template <class Range>
concept HostLevels = std::ranges::contiguous_range<const Range> &&
    std::ranges::sized_range<const Range> && LevelElement<std::ranges::range_value_t<const Range>>;

/// A vector, array or span of float that can be written.
template <class Range>
concept HostFloats = std::ranges::contiguous_range<Range> && requires(Range& range) {
    { *std::ranges::data(range) } -> std::same_as<float&>;
};

}  // namespace detail

/// Enqueues on `stream` (null: the legacy default stream): out[y * columns + x] is the entropy
/// around in[y * columns + x]. Both arrays have rows * columns elements in device memory and must
/// not overlap. Natural entropies have an error below 1e-6. Returns before the work is done; both
/// arrays must stay until then.
///
/// An element outside of [0, levels) counts as the nearest level, a NaN as level 0; a fraction is
/// rounded to one of its neighbours.
///
/// The first call for a problem (element type, window, levels, size bucket, device) looks into the
/// database, and on a miss follows Options::on_miss. Later calls only launch; they need no work
/// memory and may be captured into a graph. May be called from any thread. Pointers need the
/// alignment of their element only. Nothing is launched if rows or columns is 0.
///
/// Throws Error: usage (an invalid window, number of levels or base, a null or misaligned pointer,
/// overlapping arrays, a negative size, more than 2^31 - 1 rows or columns or 2^40 elements),
/// unavailable, compile, verify, device, not_prepared, forked, as tuned_reduce does.
template <LevelElement T>
void tuned_entropy(const T* in, std::int64_t rows, std::int64_t columns, float* out,
                   const Entropy& entropy = {}, CUstream_st* stream = nullptr,
                   Session& session = Session::standard()) {
    detail::entropy_device(session, {kElementType<T>, rows, columns, entropy}, in, out, stream);
}

/// The entropy of a vector, array or span in host memory. `out` is the caller's memory and must not
/// overlap the levels. Options::device says where the work is done. Returns when it is done; if it
/// throws, the content of `out` is undefined. Throws as above, and Error(usage) unless both arrays
/// have rows * columns elements.
template <detail::HostLevels Range, detail::HostFloats Output>
void tuned_entropy(const Range& in, std::int64_t rows, std::int64_t columns, Output&& out,
                   const Entropy& entropy = {}, Session& session = Session::standard()) {
    using T = std::ranges::range_value_t<const Range>;
    detail::refuse_bad_array("input", std::ranges::size(in), rows, columns);
    detail::refuse_bad_array("output", std::ranges::size(out), rows, columns);
    detail::entropy_host(session, {kElementType<T>, rows, columns, entropy}, std::ranges::data(in),
                         std::ranges::data(out));
}

/// As above, and allocates the result. Page faults on a new large vector cost more than the
/// entropy: to avoid them, reuse a buffer with the form above.
template <detail::HostLevels Range>
[[nodiscard]] std::vector<float> tuned_entropy(const Range& in, std::int64_t rows,
                                               std::int64_t columns, const Entropy& entropy = {},
                                               Session& session = Session::standard()) {
    detail::refuse_bad_array("input", std::ranges::size(in), rows, columns);
    auto out = detail::new_results<float>("entropy", rows * columns);
    tuned_entropy(in, rows, columns, out, entropy, session);
    return out;
}

namespace detail {

/// `device` as in prepare_entropy.
JITUNE_API PreparedCall prepared_entropy(Session& session, const EntropyRequest& request,
                                         std::string_view device);

}  // namespace detail

/// An entropy with everything slow done ahead. Its calls only launch, so they can be captured into
/// a CUDA graph; they may run at the same time. The handle must outlive the work and the graphs,
/// and its Session must outlive the handle.
template <LevelElement T>
class PreparedEntropy {
public:
    explicit PreparedEntropy(detail::PreparedCall call) : call_(std::move(call)) {}

    /// Enqueues the entropy on `stream`, for the shape that was given to prepare_entropy. Returns
    /// before the work is done; on the host, when it is done. Throws Error: device, usage (null,
    /// misaligned or overlapping arrays), forked.
    void operator()(const T* in, float* out, CUstream_st* stream = nullptr) const {
        call_.launch(in, nullptr, out, stream);
    }

    /// The configuration that answers, and its origin.
    [[nodiscard]] const DispatchInfo& info() const { return call_.info(); }

private:
    detail::PreparedCall call_;
};

/// Finds or tunes, compiles and loads for a rows x columns array on `device`: a device id such as
/// "cuda:0"; "host", whose calls take host pointers and ignore the stream; "auto", which is
/// "host" with the work shared out as Options::device = "auto" does; or empty for the device of the
/// calling thread's current CUDA context, or device 0 if no context is current. Throws as
/// tuned_entropy does.
template <LevelElement T>
[[nodiscard]] PreparedEntropy<T> prepare_entropy(std::int64_t rows, std::int64_t columns,
                                                 const Entropy& entropy = {},
                                                 std::string_view device = {},
                                                 Session& session = Session::standard()) {
    return PreparedEntropy<T>(
        detail::prepared_entropy(session, {kElementType<T>, rows, columns, entropy}, device));
}

JITUNE_END_NAMESPACE
