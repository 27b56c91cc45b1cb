// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace jitune::internal {

/// Kills every process of a session except the caller, also those in process groups of their own,
/// such as the compilers that a worker has started and that outlive it. Does nothing if /proc
/// cannot be read.
void kill_session(pid_t session);

}  // namespace jitune::internal
