// SPDX-License-Identifier: Apache-2.0
#include "support/file_size_guard.hpp"

#include <cerrno>
#include <ctime>

namespace jitune::internal {

namespace {

sigset_t the_signal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

}  // namespace

FileSizeGuard::FileSizeGuard() {
    const sigset_t set = the_signal();
    ::pthread_sigmask(SIG_BLOCK, &set, &old_mask_);
}

FileSizeGuard::~FileSizeGuard() {
    if (sigismember(&old_mask_, SIGXFSZ) != 0) {
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
