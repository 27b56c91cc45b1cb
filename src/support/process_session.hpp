// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace jitune::internal {

/// Kills every process of a session but the caller: also those that have a process group of their
/// own, such as compilers that a worker has started and that outlive it. Does nothing where /proc
/// cannot be read.
void kill_session(pid_t session);

}  // namespace jitune::internal
