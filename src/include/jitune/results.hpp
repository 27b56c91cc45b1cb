// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "jitune/export.hpp"

JITUNE_BEGIN_NAMESPACE
namespace detail {

/// Throws Error(unavailable): `call` cannot have `count` results of `bytes` bytes each.
[[noreturn]] JITUNE_API void throw_no_room(const char* call, std::int64_t count, std::size_t bytes);

/// A vector for `count` results, which is not negative. Throws Error(unavailable) if there is no
/// memory for it.
template <class R>
std::vector<R> new_results(const char* call, std::int64_t count) {
    try {
        return std::vector<R>(static_cast<std::size_t>(count));
    } catch (const std::exception&) {  // bad_alloc, or length_error if no vector is that long
        throw_no_room(call, count, sizeof(R));
    }
}

}  // namespace detail
JITUNE_END_NAMESPACE
