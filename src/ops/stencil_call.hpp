#pragma once

#include "engine/call_memo.hpp"
#include "engine/engine.hpp"
#include "ops/stencil_kernel.hpp"

namespace jitune {

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

/// The engine's answer, from its dispatch table where it is there.
const Resolved& resolve_stencil(Engine& engine, Backend& backend,
                                const detail::StencilRequest& request, std::size_t alignment);

/// As above, for a call on `site`: refuses a capture where there is no answer yet.
const Resolved& resolve_stencil(Engine& engine, StreamSite& site,
                                const detail::StencilRequest& request, std::size_t alignment);

}  // namespace jitune
