// SPDX-License-Identifier: Apache-2.0
#include "support/thread_signals.hpp"

#include <cerrno>
#include <ctime>

namespace jitune::internal {

namespace {

/// Guards of this thread. Those within another one have nothing to do, and cost nothing.
thread_local int guards = 0;

sigset_t the_signal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

}  // namespace

FileSizeGuard::FileSizeGuard() {
    if (guards++ > 0) {
        return;
    }
    const sigset_t set = the_signal();
    ::pthread_sigmask(SIG_BLOCK, &set, &old_mask_);
}

FileSizeGuard::~FileSizeGuard() {
    if (--guards > 0 || sigismember(&old_mask_, SIGXFSZ) != 0) {
        return;  // an outer guard's, or the app's own affair
    }
    const int code = errno;
    const sigset_t set = the_signal();
    const timespec now{};
    while (::sigtimedwait(&set, nullptr, &now) == -1 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    errno = code;
}

}  // namespace jitune::internal
