// SPDX-License-Identifier: Apache-2.0
#include "cli/app/missing_memory.hpp"

#include <unistd.h>

#include <exception>
#include <new>
#include <string_view>

#include "cli/app/exit_code.hpp"

namespace jitune::internal {

namespace {

std::terminate_handler usual_terminate = nullptr;

bool is_for_missing_memory() {
    const std::exception_ptr thrown = std::current_exception();
    if (thrown == nullptr) {
        return false;
    }
    try {
        std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        return true;
    } catch (...) {
        return false;
    }
}

[[noreturn]] void end_program() {
    if (is_for_missing_memory()) {
        constexpr std::string_view kMessage = "jitune: not enough memory\n";
        const ssize_t written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
        _exit(written < 0 ? kExitFailed : kExitUnavailable);
    }
    usual_terminate();
    _exit(kExitFailed);  // not reached: the usual handler does not return
}

// Static objects of the program are made after this.
__attribute__((constructor(101))) void watch_for_missing_memory() {
    usual_terminate = std::set_terminate(end_program);
}

}  // namespace

void end_by_signal_without_memory() {
    std::set_terminate(usual_terminate);
}

}  // namespace jitune::internal
