// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jitune::internal {

/// The most elements that the arrays of a call may have.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

/// True for a pointer that is not null and is aligned to `bytes`, a power of two.
inline bool is_good_pointer(const void* pointer, std::size_t bytes) {
    return pointer != nullptr && (reinterpret_cast<std::uintptr_t>(pointer) & (bytes - 1)) == 0;
}

/// Throws Error(usage) that says what is wrong with a pointer that is not good.
[[noreturn]] void throw_bad_pointer(std::string_view call, std::string_view array,
                                    const void* pointer, std::size_t bytes);

/// Throws Error(usage) unless the pointer is good: "stencil: the input is a null pointer", where
/// `call` is "stencil" and `array` "the input".
inline void refuse_bad_pointer(std::string_view call, std::string_view array, const void* pointer,
                               std::size_t bytes) {
    if (!is_good_pointer(pointer, bytes)) [[unlikely]] {
        throw_bad_pointer(call, array, pointer, bytes);
    }
}

/// True if two arrays share memory. Compares addresses as numbers, because pointers into different
/// arrays have no order.
inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(a);
    const auto second = reinterpret_cast<std::uintptr_t>(b);
    return a_bytes > 0 && b_bytes > 0 && first < second + b_bytes && second < first + a_bytes;
}

}  // namespace jitune::internal
