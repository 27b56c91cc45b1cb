// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/family.hpp"
#include "jitune/error.hpp"
#include "jitune/stencil.hpp"
#include "template/kernel.hpp"
#include "template/problem.hpp"

namespace jitune::internal {

/// The alignment in bytes at which kernels read and write whole packs.
inline constexpr std::size_t kFastAlignment = 16;

/// Calls `use` with a value of the C++ type of an element type that stencils support. Throws
/// Error(usage) for another.
template <class Use>
auto visit_stencil_element(ElementType type, Use&& use) {
    switch (type) {
        case ElementType::int32:
            return use(std::int32_t{});
        case ElementType::float32:
            return use(float{});
        case ElementType::float64:
            return use(double{});
        default:
            throw Error(ErrorKind::usage, "a stencil takes int32, float32 and float64");
    }
}

/// Throws Error(usage): radius, number of weights, weights that the element type does not hold,
/// weights together with `mean`, an invalid boundary or element type, n < 0 or > 2^40.
void refuse_bad_stencil(const detail::StencilRequest& request);

/// "sum", "mean" or "weights": the type `weighting` of the templates.
std::string_view weighting_of(const Stencil& stencil);

/// `alignment` is that of both pointers in bytes: 16, or the bytes of an element. Throws
/// Error(usage) as refuse_bad_stencil() does.
Problem stencil_problem(const detail::StencilRequest& request, std::size_t alignment);

/// The request of a problem that stencil_problem() has made. Weights are zeros, since problems do
/// not hold their values. Throws Error(usage) for any other problem.
detail::StencilRequest stencil_request(const Problem& problem);

/// The same from the values of the types, for one input.
detail::StencilRequest stencil_request(ElementType element, int radius, std::string_view weighting,
                                       std::string_view boundary);

/// The weights as the kernels take them, by value.
class StencilWeights {
public:
    /// Throws Error(usage) as refuse_bad_stencil() does.
    explicit StencilWeights(const detail::StencilRequest& request);
    [[nodiscard]] void* data() { return values_.data(); }
    [[nodiscard]] std::span<const std::byte> bytes() const {
        return std::span(values_).first(bytes_);
    }

private:
    alignas(8) std::array<std::byte, (2 * Stencil::kMaxRadius + 1) * sizeof(double)> values_{};
    std::size_t bytes_ = 0;
};

inline constexpr std::string_view kStencilFamily = "stencil";  ///< Family::name

/// Data for stencils whose outputs do not depend on the order of additions: floats and weights are
/// small integers with exact sums, so that the right bits are known. Problems are those of
/// stencil_problem(); the inputs of a case are the elements and the weights. If a problem's
/// alignment is below 16, its input is misaligned by one element. Stateless and thread-safe.
class StencilWorkload : public Workload {
public:
    [[nodiscard]] std::vector<Case> checks(const Problem& problem) const override;
    [[nodiscard]] Case timed(const Problem& problem) const override;
};

/// The built-in kernel for a platform that compiles code. Parsed once.
const Kernel& stencil_kernel(PlatformKind platform);

/// The kernel of a Kernel::spec that stencil_kernel() has made. Throws Error(usage) for a malformed
/// spec.
Kernel stencil_kernel_of(std::span<const std::string> spec);

/// Family::launch_bytes.
std::optional<double> stencil_bytes(const NamedLaunch& launch);

}  // namespace jitune::internal
