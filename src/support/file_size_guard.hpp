// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

namespace jitune::internal {

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
