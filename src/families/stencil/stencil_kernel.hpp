// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "jitune/stencil.hpp"
#include "template/kernel.hpp"
#include "template/problem.hpp"

namespace jitune::internal {

/// "sum", "mean" or "weights": the type `weighting` of the templates.
std::string_view weighting_of(const Stencil& stencil);

/// The built-in kernel for a platform that compiles code. Parsed once.
const Kernel& stencil_kernel(PlatformKind platform);

/// The kernel of a Kernel::spec that stencil_kernel() has made: "stencil" and the platform. Throws
/// Error(usage) for any other.
Kernel stencil_kernel_of(std::span<const std::string> spec);

/// `alignment` is what both pointers are aligned to: 16, or the bytes of an element. Throws
/// Error(usage) for a stencil that is none, also for its weights.
Problem stencil_problem(const detail::StencilRequest& request, std::size_t alignment);

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

/// Throws Error(usage): radius, number of weights, weights that the element type does not hold,
/// weights together with `mean`, a boundary or an element type that is none, n < 0 or > 2^40.
void refuse_bad_stencil(const detail::StencilRequest& request);

}  // namespace jitune::internal
