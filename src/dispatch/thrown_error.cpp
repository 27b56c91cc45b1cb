// SPDX-License-Identifier: Apache-2.0
#include "dispatch/thrown_error.hpp"

#include <execinfo.h>

#include <new>
#include <system_error>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

Error make_memory_error() {
    return {ErrorKind::unavailable,
            "not enough memory for a call of jitune: free some, and call again"};
}

/// Made while the program starts, because there is memory then, and never destroyed, because calls
/// may come while the process ends. Copies share its text and need no memory. Exceptions that pass
/// through pthread_once need glibc's unwinder, which takes memory when it is first used: that is
/// here.
const Error* prepare_memory_error() {
    try {
        void* frame = nullptr;
        backtrace(&frame, 1);
        return new Error(make_memory_error());
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

const Error* const memory_error = prepare_memory_error();

}  // namespace

void throw_as_error() {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        throw memory_error != nullptr ? Error(*memory_error) : make_memory_error();
    } catch (const std::system_error& error) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("the system refused what a call of jitune needs: {}", error.what()),
                    {NativeCode::Source::system, error.code().value()});
    }
}

}  // namespace jitune::internal
