// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace jitune::internal {

/// An environment variable by which the processes of one worker know each other: those that a
/// candidate starts inherit it, also in a session of their own.
inline constexpr const char* kFamilyVariable = "JITUNE_WORKER_FAMILY";

/// A value for kFamilyVariable that no other worker has.
std::string new_family();

/// Kills the processes of a session and those whose environment has this value of kFamilyVariable
/// (empty: none), but not the caller. Allocates no memory, because destructors call it.
void kill_session(pid_t session, std::string_view family) noexcept;

}  // namespace jitune::internal
