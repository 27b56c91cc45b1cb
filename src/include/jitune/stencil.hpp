// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "jitune/element_type.hpp"
#include "jitune/export.hpp"
#include "jitune/session.hpp"

struct CUstream_st;  // cudaStream_t and CUstream point to this

JITUNE_BEGIN_NAMESPACE

/// What stands for the inputs before the first and after the last.
enum class Boundary : std::uint8_t {
    valid,  ///< no output needs any: there are n - 2 radius outputs, else n
    zero,   ///< 0, which a mean counts, too
    clamp,  ///< the first and the last input
    wrap,   ///< those of the other end, again and again where the radius is beyond n
};

/// "valid", "zero", "clamp", "wrap". Throws Error(usage) for a number that is none.
JITUNE_API std::string_view to_string(Boundary boundary);

/// Throws Error(usage) that lists the names there are.
JITUNE_API Boundary parse_boundary(std::string_view name);

/// The weighted sum of each input's neighbourhood:
///     output[o] = sum over j in [0, 2 radius] of weight[j] * input[o + j - reach]
/// with reach 0 for Boundary::valid, else the radius. The weights are not mirrored: this is a
/// correlation.
struct Stencil {
    static constexpr int kMaxRadius = 32;

    int radius = 1;  ///< 1 … kMaxRadius
    /// 2 * radius + 1 of them, or none for a plain sum. Read while a call lasts, rounded to the
    /// element type; for int32 they must be integers of it.
    std::span<const double> weights = {};
    /// A plain sum over 2 * radius + 1. Of int32 the exact sum is divided, towards zero; of floats
    /// it is multiplied by the rounded reciprocal.
    bool mean = false;
    Boundary boundary = Boundary::valid;
};

/// How many outputs `n` inputs have; 0 where Boundary::valid leaves none and for a radius that is
/// none.
constexpr std::int64_t stencil_outputs(std::int64_t n, const Stencil& stencil) {
    if (stencil.radius < 1 || stencil.radius > Stencil::kMaxRadius) {
        return 0;
    }
    const std::int64_t outputs =
        stencil.boundary == Boundary::valid ? n - 2 * std::int64_t{stencil.radius} : n;
    return outputs < 0 ? 0 : outputs;
}

/// The types of tuned_stencil().
template <class T>
concept StencilElement =
    std::same_as<T, std::int32_t> || std::same_as<T, float> || std::same_as<T, double>;

namespace detail {

/// A stencil without its data.
struct StencilRequest {
    ElementType element;
    Stencil stencil;
    std::int64_t n;
};

JITUNE_API void stencil_host(Session& session, const StencilRequest& request, const void* input,
                             void* output);
JITUNE_API void stencil_device(Session& session, const StencilRequest& request, const void* input,
                               void* output, CUstream_st* stream);

/// Throws Error(usage) where an array of `size` elements is not as long as the outputs.
JITUNE_API void refuse_bad_output(std::size_t size, std::int64_t outputs);

template <class Range>
concept HostElements = std::ranges::contiguous_range<Range> &&
    StencilElement<std::remove_cv_t<std::ranges::range_value_t<Range>>>;

}  // namespace detail

/// Enqueues the stencil of `n` inputs in device memory on `stream`; stencil_outputs(n, stencil)
/// values are written to `output`, which must not overlap the inputs. Returns before it is done.
/// Pointers need the alignment of their element; 16 bytes for both is the fast case, and is tuned
/// apart from others. n up to 2^40. Where there is no output, nothing is launched and the pointers
/// are not looked at. Sums of int32 wrap.
///
/// The first call for a problem (element type, radius, weighting, boundary, alignment, size bucket,
/// device) looks into the database, and on a miss follows Options::on_miss; later calls only
/// launch, and may be captured into a graph: there is no work memory. Safe from any thread.
///
/// Throws Error: usage (radius, number or value of the weights, mean with weights, n, null,
/// misaligned or overlapping pointers), device, unavailable, compile, verify, not_prepared (the
/// first call for a problem while the stream is capturing), forked.
template <StencilElement T>
void tuned_stencil(const T* input, std::int64_t n, T* output, const Stencil& stencil,
                   CUstream_st* stream = nullptr, Session& session = Session::standard()) {
    detail::stencil_device(session, {kElementType<T>, stencil, n}, input, output, stream);
}

/// The stencil of host memory, a vector, array or span, into memory of the caller's own, which must
/// not overlap it and holds stencil_outputs() elements. Options::device says where: on the host, on
/// a GPU, or wherever it was fastest in tuning. Returns when it is done; what `output` holds where
/// it throws is no result. Throws as above, and Error(usage) for an output of another length.
template <detail::HostElements Range, std::ranges::contiguous_range Output>
void tuned_stencil(const Range& input, Output&& output, const Stencil& stencil,
                   Session& session = Session::standard()) {
    using T = std::remove_cv_t<std::ranges::range_value_t<Range>>;
    static_assert(std::same_as<std::ranges::range_reference_t<Output>, T&>,
                  "tuned_stencil writes elements of the input's type");
    const auto n = static_cast<std::int64_t>(std::ranges::size(input));
    detail::refuse_bad_output(std::ranges::size(output), stencil_outputs(n, stencil));
    detail::stencil_host(session, {kElementType<T>, stencil, n}, std::ranges::data(input),
                         std::ranges::data(output));
}

/// The same into new memory, whose first use takes longer than the work on large arrays.
template <detail::HostElements Range>
auto tuned_stencil(const Range& input, const Stencil& stencil,
                   Session& session = Session::standard()) {
    using T = std::remove_cv_t<std::ranges::range_value_t<Range>>;
    const auto n = static_cast<std::int64_t>(std::ranges::size(input));
    std::vector<T> output(static_cast<std::size_t>(stencil_outputs(n, stencil)));
    tuned_stencil(input, output, stencil, session);
    return output;
}

JITUNE_END_NAMESPACE
