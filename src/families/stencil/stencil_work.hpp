// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jitune/stencil.hpp"
#include "spread/host_work.hpp"

namespace jitune::internal {

/// The stencil that a device is given: without a boundary, for inputs that staging has extended at
/// both ends as the boundary says. Its weights, if any, are zeros.
detail::StencilRequest without_boundary(const detail::StencilRequest& request);

/// The stencil of an array in host memory, in parts of its outputs. The inputs of each part are
/// laid out for a stencil without a boundary: staging extends them at the array's ends.
class StencilWork final : public HostWork {
public:
    /// `weights` are StencilWeights::data().
    StencilWork(const detail::StencilRequest& request, const void* input, void* weights,
                void* output);

    [[nodiscard]] std::int64_t rows() const override { return outputs_; }
    [[nodiscard]] std::int64_t halo() const override { return 0; }  // stage() adds it
    [[nodiscard]] std::size_t row_bytes() const override { return element_; }
    [[nodiscard]] Chunk chunk(const Part& part) const override;
    void stage(const Part& part, std::byte* staging) const override;
    [[nodiscard]] std::array<void*, kMaxArguments> arrays(void* input, void* output) const override;

private:
    /// Writes one input outside of the array, as the boundary says.
    void stage_outside(std::int64_t index, std::byte* to) const;

    std::int64_t n_, outputs_, radius_, reach_;
    Boundary boundary_;
    std::size_t element_;
    const std::byte* input_;
    void* weights_;
    std::byte* output_;
};

}  // namespace jitune::internal
