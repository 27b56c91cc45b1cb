// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "jitune/jitune.h"

namespace jitune::internal {

/// Remembers the exception under way for jitune_last_message() and jitune_last_native_code() of the
/// calling thread. Returns its status.
jitune_status remember_exception() noexcept;

/// As remember_exception(), of a failure that has a status but no ErrorKind.
jitune_status remember(jitune_status status, const std::string& message) noexcept;

/// Does the work of a function of the C interface. Nothing is thrown.
template <class Work>
jitune_status guarded(const Work& work) noexcept {
    try {
        work();
        return JITUNE_OK;
    } catch (...) {
        return remember_exception();
    }
}

/// Throws Error(usage) for a null `pointer`: `what` is "jitune_reduce: reduction".
void refuse_null(const void* pointer, const char* what);

/// As above, for the argument `name` of the function `call`.
void refuse_null(const void* pointer, const char* call, const char* name);

/// A copy that jitune_free() frees. Throws std::bad_alloc.
char* new_text(const std::string& text);

}  // namespace jitune::internal
