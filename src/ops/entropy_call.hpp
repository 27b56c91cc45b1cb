#pragma once

#include <array>
#include <cstdint>

#include "engine/engine.hpp"
#include "jitune/entropy.hpp"

namespace jitune {

/// In the order of the template's `sizes`.
std::array<std::int64_t, 2> sizes_of(const detail::EntropyRequest& request);

/// Problems of equal words are answered by the same kernel for the same sizes.
ProblemWords entropy_words(const detail::EntropyRequest& request);

/// Throws Error(usage) for null, misaligned or overlapping arrays.
void refuse_bad_arrays(const detail::EntropyRequest& request, const void* input,
                       const float* output);

/// The built-in kernel for a device, or its placements for the machine.
const Kernel& entropy_kernel_on(const Backend& backend);

/// The engine's answer to a request that is good and has elements. With a site, throws
/// Error(not_prepared) where that takes work while its stream is captured.
const Resolved& resolve_entropy(Engine& engine, Backend& backend,
                                const detail::EntropyRequest& request,
                                const StreamSite* site = nullptr);

}  // namespace jitune
