// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
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

/// How inputs before the first and after the last are replaced.
enum class Boundary : std::uint8_t {
    valid,  ///< not replaced: only the n - 2 radius windows inside the array have an output
    zero,   ///< by 0, which a mean counts, too
    clamp,  ///< by the first and the last input
    wrap,   ///< by the inputs of the other end; repeated if the radius is larger than n
};

/// "valid", "zero", "clamp", "wrap". Throws Error(usage) for a value outside the enum.
JITUNE_API std::string_view to_string(Boundary boundary);

/// Throws Error(usage) with the list of known names.
JITUNE_API Boundary parse_boundary(std::string_view name);

/// The weighted sum of each input's neighbourhood:
///     output[o] = sum over j in [0, 2 radius] of weight[j] * input[o + j - reach]
/// with reach 0 for Boundary::valid, else the radius. The weights are not mirrored: this is a
/// correlation.
struct Stencil {
    static constexpr int kMaxRadius = 32;

    int radius = 1;  ///< 1 … kMaxRadius
    /// 2 * radius + 1 weights, or none for a plain sum. The caller's memory, read during the call
    /// only. Weights are rounded to the element type; for int32 they must be integers in its range.
    std::span<const double> weights = {};
    /// Divide the plain sum by 2 * radius + 1. For int32 the exact sum is divided, towards zero;
    /// for floats it is multiplied by the rounded reciprocal.
    bool mean = false;
    Boundary boundary = Boundary::valid;
};

/// The number of outputs of `n` inputs. 0 if Boundary::valid leaves none, for a negative `n` and
/// for an invalid radius.
[[nodiscard]] constexpr std::int64_t stencil_outputs(std::int64_t n, const Stencil& stencil) {
    if (n < 0 || stencil.radius < 1 || stencil.radius > Stencil::kMaxRadius) {
        return 0;
    }
    const std::int64_t outputs =
        stencil.boundary == Boundary::valid ? n - 2 * std::int64_t{stencil.radius} : n;
    return outputs < 0 ? 0 : outputs;
}

/// The element types of stencils.
template <class T>
concept StencilElement =
    std::same_as<T, std::int32_t> || std::same_as<T, float> || std::same_as<T, double>;

namespace detail {

/// A stencil without its data. Passed to the library by reference; the weights are the caller's and
/// are read during the call only.
struct StencilRequest {
    ElementType element;
    Stencil stencil;
    std::int64_t n;
};

JITUNE_API void stencil_host(Session& session, const StencilRequest& request, const void* input,
                             void* output);
JITUNE_API void stencil_device(Session& session, const StencilRequest& request, const void* input,
                               void* output, CUstream_st* stream);

/// Throws Error(usage) unless an array of `size` elements has room for exactly `outputs` outputs.
JITUNE_API void refuse_bad_output(std::size_t size, std::int64_t outputs);

/// A vector, array or span of stencil elements in host memory.
template <class Range>
concept HostElements = std::ranges::contiguous_range<Range> &&
    StencilElement<std::remove_cv_t<std::ranges::range_value_t<Range>>>;

}  // namespace detail

/// Enqueues the stencil of `n` inputs in device memory on `stream` (null: the legacy default
/// stream) and writes stencil_outputs(n, stencil) values to `out`, also in device memory, which
/// must not overlap the inputs. Returns before the work is done; both arrays must stay until then.
/// Pointers need the alignment of their element; pointers that are both aligned to 16 bytes are
/// faster, and are tuned separately. n is at most 2^40. If there is no output, nothing is launched
/// and the pointers are not read. Sums of int32 wrap.
///
/// The first call for a problem (element type, radius, weighting, boundary, alignment, size bucket,
/// device) looks into the database, and on a miss follows Options::on_miss. Later calls only
/// launch; they need no work memory and may be captured into a graph. May be called from any
/// thread.
///
/// Throws Error: usage (radius, number or value of the weights, mean with weights, n, null,
/// misaligned or overlapping pointers), device, unavailable, compile, verify, not_prepared (the
/// first call for a problem while the stream is capturing), forked.
template <StencilElement T>
void tuned_stencil(const T* in, std::int64_t n, T* out, const Stencil& stencil,
                   CUstream_st* stream = nullptr, Session& session = Session::standard()) {
    detail::stencil_device(session, {kElementType<T>, stencil, n}, in, out, stream);
}

/// The stencil of a vector, array or span in host memory. `out` is the caller's memory of
/// stencil_outputs() elements and must not overlap the inputs. Options::device says where the work
/// is done. Returns when it is done; if it throws, the content of `out` is undefined. Throws as
/// above, and Error(usage) for an output of another length.
template <detail::HostElements Range, std::ranges::contiguous_range Output>
void tuned_stencil(const Range& in, Output&& out, const Stencil& stencil,
                   Session& session = Session::standard()) {
    using T = std::remove_cv_t<std::ranges::range_value_t<Range>>;
    static_assert(std::same_as<std::ranges::range_reference_t<Output>, T&>,
                  "tuned_stencil writes elements of the input's type");
    const auto n = static_cast<std::int64_t>(std::ranges::size(in));
    detail::refuse_bad_output(std::ranges::size(out), stencil_outputs(n, stencil));
    detail::stencil_host(session, {kElementType<T>, stencil, n}, std::ranges::data(in),
                         std::ranges::data(out));
}

/// As above, and allocates the result. Page faults on a new large vector cost more than the
/// stencil: to avoid them, reuse a buffer with the form above.
template <detail::HostElements Range>
[[nodiscard]] auto tuned_stencil(const Range& in, const Stencil& stencil,
                                 Session& session = Session::standard()) {
    using T = std::remove_cv_t<std::ranges::range_value_t<Range>>;
    const auto n = static_cast<std::int64_t>(std::ranges::size(in));
    auto out = detail::new_results<T>("stencil", stencil_outputs(n, stencil));
    tuned_stencil(in, out, stencil, session);
    return out;
}

namespace detail {

/// `device` as in prepare_stencil.
JITUNE_API PreparedCall prepared_stencil(Session& session, const StencilRequest& request,
                                         std::string_view device);

}  // namespace detail

/// A stencil with everything slow done ahead. Its calls only launch, so they can be captured into a
/// CUDA graph; they may run at the same time. The handle must outlive the work and the graphs, and
/// its Session must outlive the handle.
template <StencilElement T>
class PreparedStencil {
public:
    explicit PreparedStencil(detail::PreparedCall call) : call_(std::move(call)) {}

    /// Enqueues the stencil on `stream`, for the size that was given to prepare_stencil. Both
    /// pointers must be aligned to 16 bytes. Returns before the work is done; on the host, when it
    /// is done. Throws Error: device, usage (null, misaligned or overlapping arrays), forked.
    void operator()(const T* in, T* out, CUstream_st* stream = nullptr) const {
        call_.launch(in, nullptr, out, stream);
    }

    /// The configuration that answers, and its origin.
    [[nodiscard]] const DispatchInfo& info() const { return call_.info(); }

private:
    detail::PreparedCall call_;
};

/// Finds or tunes, compiles and loads for `n` inputs on `device`: a device id such as "cuda:0";
/// "host", whose calls take host pointers and ignore the stream; "auto", which is "host" with the
/// work shared out as Options::device = "auto" does; or empty for the device of the calling
/// thread's current CUDA context, or device 0 if no context is current. The weights are copied.
/// Throws as tuned_stencil does.
template <StencilElement T>
[[nodiscard]] PreparedStencil<T> prepare_stencil(std::int64_t n, const Stencil& stencil,
                                                 std::string_view device = {},
                                                 Session& session = Session::standard()) {
    return PreparedStencil<T>(
        detail::prepared_stencil(session, {kElementType<T>, stencil, n}, device));
}

JITUNE_END_NAMESPACE
