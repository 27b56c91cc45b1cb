// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "dispatch/call_memo.hpp"
#include "dispatch/engine.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "jitune/entropy.hpp"

namespace jitune::internal {

/// Problems of equal words are answered by the same kernel for the same sizes.
ProblemWords entropy_words(const detail::EntropyRequest& request);

/// Throws Error(usage) for null, misaligned or overlapping arrays.
void refuse_bad_arrays(const detail::EntropyRequest& request, const void* input,
                       const float* output);

/// The built-in kernel for a device, or its placements for the machine.
const Kernel& entropy_kernel_on(const Device& device);

/// The engine's answer to a request that is good and has elements. With a site, throws
/// Error(not_prepared) where that takes work while its stream is captured.
const Resolved& resolve_entropy(Engine& engine, Device& device,
                                const detail::EntropyRequest& request,
                                const StreamSite* site = nullptr);

/// What a call brings, in the template's order.
std::array<void*, 3> entropy_arrays(const detail::EntropyRequest& request, const void* input,
                                    float* output);

/// Enqueues on a stream of `site`, in its own memory, what `resolve` answers where this thread has
/// not launched the same of late. The request is good and has elements.
template <class Resolve>
void launch_entropy(StreamSite& site, const detail::EntropyRequest& request, const void* input,
                    float* output, Stream stream, const Resolve& resolve) {
    const auto sizes = sizes_of(request);
    const CallKey key{site.serial(), entropy_words(request), {sizes[0], sizes[1], 0}};
    CallMemo& memo = CallMemo::here();
    const ReadyLaunch* ready = memo.find(key);
    if (ready == nullptr) [[unlikely]] {
        ready = &memo.prepare(key, sizes, resolve(), site);
    }
    (*ready)(entropy_arrays(request, input, output).data(), stream);
}

}  // namespace jitune::internal
