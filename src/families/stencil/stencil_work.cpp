// SPDX-License-Identifier: Apache-2.0
#include "families/stencil/stencil_work.hpp"

#include <algorithm>
#include <cstring>

namespace jitune::internal {

detail::StencilRequest without_boundary(const detail::StencilRequest& request) {
    static constexpr std::array<double, 2 * Stencil::kMaxRadius + 1> kZeros{};
    detail::StencilRequest result = request;
    result.stencil.boundary = Boundary::valid;
    result.stencil.weights = std::span(kZeros).first(request.stencil.weights.size());
    result.n =
        stencil_outputs(request.n, request.stencil) + 2 * std::int64_t{request.stencil.radius};
    return result;
}

StencilWork::StencilWork(const detail::StencilRequest& request, const void* input, void* weights,
                         void* output)
    : n_(request.n),
      outputs_(stencil_outputs(request.n, request.stencil)),
      radius_(request.stencil.radius),
      reach_(request.stencil.boundary == Boundary::valid ? 0 : radius_),
      boundary_(request.stencil.boundary),
      element_(bytes_of(request.element)),
      input_(static_cast<const std::byte*>(input)),
      weights_(weights),
      output_(static_cast<std::byte*>(output)) {}

Chunk StencilWork::chunk(const Part& part) const {
    const std::int64_t outputs = part.end - part.begin;
    const std::int64_t inputs = outputs + 2 * radius_;
    const std::int64_t first = part.begin - reach_;
    Chunk chunk;
    chunk.sizes = {inputs, 0};
    chunk.input_bytes = static_cast<std::size_t>(inputs) * element_;
    chunk.output_bytes = static_cast<std::size_t>(outputs) * element_;
    chunk.target = {output_ + static_cast<std::size_t>(part.begin) * element_, chunk.output_bytes};
    if (first >= 0 && first + inputs <= n_) {
        chunk.source = input_ + static_cast<std::size_t>(first) * element_;
    }
    return chunk;
}

void StencilWork::stage(const Part& part, std::byte* staging) const {
    const std::int64_t first = part.begin - reach_;
    const std::int64_t last = first + part.end - part.begin + 2 * radius_;
    const std::int64_t inside = std::clamp<std::int64_t>(first, 0, n_);
    const std::int64_t outside = std::clamp<std::int64_t>(last, inside, n_);
    const auto place = [&](std::int64_t index) {
        return staging + static_cast<std::size_t>(index - first) * element_;
    };
    for (std::int64_t i = first; i < inside; ++i) {
        stage_outside(i, place(i));
    }
    std::memcpy(place(inside), input_ + static_cast<std::size_t>(inside) * element_,
                static_cast<std::size_t>(outside - inside) * element_);
    for (std::int64_t i = outside; i < last; ++i) {
        stage_outside(i, place(i));
    }
}

void StencilWork::stage_outside(std::int64_t index, std::byte* to) const {
    if (boundary_ == Boundary::zero) {
        std::memset(to, 0, element_);
        return;
    }
    const std::int64_t from = boundary_ == Boundary::wrap
                                  ? (index % n_ + n_) % n_
                                  : std::clamp<std::int64_t>(index, 0, n_ - 1);
    std::memcpy(to, input_ + static_cast<std::size_t>(from) * element_, element_);
}

std::array<void*, kMaxArguments> StencilWork::arrays(void* input, void* output) const {
    return {input, weights_, output};
}

}  // namespace jitune::internal
