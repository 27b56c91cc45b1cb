// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <signal.h>

namespace jitune::internal {

/// Blocks all signals of the calling thread while it lives. Threads that start meanwhile block them
/// for good: signals are for the app's own threads.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_;
};

/// While one exists, a write of this thread beyond the app's limit on file sizes (RLIMIT_FSIZE)
/// fails with EFBIG and does not end the app by SIGXFSZ. The signal's action stays as the app has
/// set it. Begins and ends in one thread.
class FileSizeGuard {
public:
    FileSizeGuard();
    ~FileSizeGuard();
    FileSizeGuard(const FileSizeGuard&) = delete;
    FileSizeGuard& operator=(const FileSizeGuard&) = delete;

private:
    sigset_t old_mask_{};
};

}  // namespace jitune::internal
