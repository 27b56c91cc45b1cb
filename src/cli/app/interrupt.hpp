// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include <signal.h>

namespace jitune::internal {

/// While one exists, the first Ctrl-C (SIGINT or SIGTERM) only asks to stop; a second one ends the
/// process at once. At most one exists at a time.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    /// Becomes true when asked to stop.
    [[nodiscard]] const std::atomic<bool>& requested() const;

private:
    struct sigaction old_int_ {};
    struct sigaction old_term_ {};
};

/// True if the last Interrupt, which may be gone, was asked to stop.
bool was_interrupted();

/// Makes a write to a closed pipe, or beyond the limit on file sizes, an error instead of the end
/// of the process. A handler and not SIG_IGN, which the compilers that jitune starts would inherit.
void catch_failed_writes();

}  // namespace jitune::internal
