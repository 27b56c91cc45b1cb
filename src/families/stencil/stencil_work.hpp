// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jitune/stencil.hpp"
#include "placement/host_work.hpp"

namespace jitune::internal {

/// The same stencil without a boundary, of inputs that have what the boundary stands for at both
/// ends: what a device gets of it. Its weights, if any, are zeros.
detail::StencilRequest without_boundary(const detail::StencilRequest& request);

/// The stencil of an array in host memory, in parts of its outputs. The inputs of each part are
/// laid out for a stencil without a boundary: at the array's ends staging brings what the boundary
/// stands for.
class StencilWork final : public HostWork {
public:
    /// `weights` are the kernel's, in host memory.
    StencilWork(const detail::StencilRequest& request, const void* input, void* weights,
                void* output);

    [[nodiscard]] std::int64_t rows() const override { return outputs_; }
    [[nodiscard]] std::int64_t halo() const override { return 0; }  // stage() knows its own
    [[nodiscard]] std::size_t row_bytes() const override { return element_; }
    [[nodiscard]] Chunk chunk(const Part& part) const override;
    void stage(const Part& part, std::byte* staging) const override;
    [[nodiscard]] std::array<void*, kMaxArguments> arrays(void* input, void* output) const override;

private:
    /// One input that the array does not have.
    void stage_outside(std::int64_t index, std::byte* to) const;

    std::int64_t n_, outputs_, radius_, reach_;
    Boundary boundary_;
    std::size_t element_;
    const std::byte* input_;
    void* weights_;
    std::byte* output_;
};

}  // namespace jitune::internal
