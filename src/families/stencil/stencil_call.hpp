// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dispatch/answer/call.hpp"
#include "families/stencil/stencil_kernel.hpp"
#include "jitune/stencil.hpp"
#include "spread/placed_call.hpp"

namespace jitune::internal {

/// kFastAlignment if both addresses are multiples of it, else the bytes of an element.
std::size_t stencil_alignment(const detail::StencilRequest& request, const void* input,
                              const void* output);

/// Throws Error(usage) for null or misaligned pointers, and if the output overlaps the input.
void refuse_bad_stencil_data(const detail::StencilRequest& request, const void* input,
                             const void* output);

/// The built-in kernel for a device, or its placements for the machine.
const Kernel& stencil_kernel_on(const Device& device);

/// A stencil that has outputs. Refers to the request, which must outlive it.
class StencilCall {
public:
    static constexpr const char* kFirstCall = "the first tuned_stencil of a problem";

    /// `alignment` as in stencil_problem(). The pointers may be null if the call is not
    /// launched; `weights` is StencilWeights::data().
    StencilCall(const detail::StencilRequest& request, std::size_t alignment,
                const void* input = nullptr, void* weights = nullptr, void* output = nullptr)
        : request_(request),
          alignment_(alignment),
          arguments_{const_cast<void*>(input), weights, output} {}

    [[nodiscard]] CallKey memo_key(const StreamSite& site) const {
        return {site.serial(), words(), {request_.n, 0, 0}};
    }
    [[nodiscard]] DispatchKey table_key(const Device& device) const {
        return {&device, words(), size_bucket(sizes())};
    }
    [[nodiscard]] std::span<const std::int64_t> sizes() const { return {&request_.n, 1}; }
    [[nodiscard]] const std::array<void*, 3>& arguments() const { return arguments_; }
    const Resolved& answer(Engine& engine, const DispatchKey& key, Device& device) const;

private:
    /// Requests with equal words are answered by the same kernel for the same sizes; the values of
    /// weights are not part of a problem.
    [[nodiscard]] ProblemWords words() const;

    const detail::StencilRequest& request_;
    std::size_t alignment_;
    std::array<void*, 3> arguments_;
};

/// The engine's answer to a good request that has outputs.
inline const Resolved& resolve_stencil(Engine& engine, Device& device,
                                       const detail::StencilRequest& request,
                                       std::size_t alignment) {
    return resolve(engine, device, StencilCall(request, alignment));
}

extern const PlacedOperation kPlacedStencil;

/// Works on host memory as `placement` says, for a good request that has outputs. `weights` are
/// StencilWeights::data(). Throws as HostPipeline::run does.
void run_placed_stencil(Machine& machine, const Placement& placement,
                        const detail::StencilRequest& request, const void* input, void* weights,
                        void* output);

}  // namespace jitune::internal
