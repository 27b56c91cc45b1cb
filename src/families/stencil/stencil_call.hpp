// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "dispatch/call_memo.hpp"
#include "dispatch/engine.hpp"
#include "families/stencil/stencil_kernel.hpp"

namespace jitune::internal {

/// What the packs of the kernels want.
inline constexpr std::size_t kFastAlignment = 16;

/// 16 where both pointers are aligned to that, else the bytes of an element.
std::size_t stencil_alignment(const detail::StencilRequest& request, const void* input,
                              const void* output);

/// Throws Error(usage) for null or misaligned pointers and where the output overlaps the input.
void refuse_bad_stencil_data(const detail::StencilRequest& request, const void* input,
                             const void* output);

/// Problems of equal words are answered by the same kernel for the same sizes; the values of
/// weights are no part of a problem.
ProblemWords stencil_words(const detail::StencilRequest& request, std::size_t alignment);

/// The built-in kernel for a device, or its placements for the machine.
const Kernel& stencil_kernel_on(const Device& device);

/// The engine's answer, from its dispatch table where it is there.
const Resolved& resolve_stencil(Engine& engine, Device& device,
                                const detail::StencilRequest& request, std::size_t alignment);

/// As above, for a call on `site`: refuses a capture where there is no answer yet.
const Resolved& resolve_stencil(Engine& engine, StreamSite& site,
                                const detail::StencilRequest& request, std::size_t alignment);

/// Enqueues on a stream of `site`, in its own memory, what `resolve` answers for an alignment where
/// this thread has not launched the same of late. Of good data that has outputs.
template <class Resolve>
void launch_stencil(StreamSite& site, const detail::StencilRequest& request,
                    StencilWeights& weights, const void* input, void* output, Stream stream,
                    const Resolve& resolve) {
    const std::array<void*, 3> arrays{const_cast<void*>(input), weights.data(), output};
    const std::size_t alignment = stencil_alignment(request, input, output);
    const CallKey key{site.serial(), stencil_words(request, alignment), {request.n, 0, 0}};
    CallMemo& memo = CallMemo::here();
    const ReadyLaunch* ready = memo.find(key);
    if (ready == nullptr) [[unlikely]] {
        ready = &memo.prepare(key, std::array{request.n}, resolve(alignment), site);
    }
    (*ready)(arrays.data(), stream);
}

}  // namespace jitune::internal
