// SPDX-License-Identifier: Apache-2.0
#include "spread/streaming_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace jitune::internal {

#ifdef __SSE2__

void streaming_copy(void* to, const void* from, std::size_t bytes) {
    constexpr std::size_t kVector = sizeof(__m128i);
    auto* target = static_cast<std::byte*>(to);
    const auto* source = static_cast<const std::byte*>(from);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(target) % kVector;
    const std::size_t head = std::min(past == 0 ? 0 : kVector - past, bytes);
    std::memcpy(target, source, head);
    std::size_t done = head;
    for (; done + kVector <= bytes; done += kVector) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(target + done),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + done)));
    }
    std::memcpy(target + done, source + done, bytes - done);
    _mm_sfence();  // so that another thread that learns of the copy sees it
}

#else

void streaming_copy(void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
}

#endif

}  // namespace jitune::internal
