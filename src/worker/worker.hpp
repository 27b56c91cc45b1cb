// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "dispatch/family.hpp"

namespace jitune::internal {

/// Runs a worker process until its end. Receives tunings over standard input, which is a socket,
/// and answers there (tuning/isolation/worker_request.hpp). Keeps temporary files in `scratch`.
/// Ends the process and all that it has started, when its parent ends or after a tuning that lost
/// the device. Throws Error(usage) if standard input is not a socket.
[[noreturn]] void run_worker(const std::filesystem::path& scratch,
                             std::span<const Family> families);

/// Runs a compiler process of a platform until its end: receives programs over standard input,
/// which is a socket, and answers there (tuning/isolation/worker_request.hpp). It opens no device.
/// Ends when its parent ends, also in the middle of a compile, and when nothing has come for a
/// while. Keeps precompiled headers in `headers`, a folder of its own that it removes at its
/// end, and the parent if it kills this process; empty: it keeps none. Throws Error(usage) if
/// standard input is not a socket, and Error(unavailable) for a malformed message.
[[noreturn]] void run_compiler(std::string_view platform, const std::filesystem::path& headers);

/// Throws Error(usage) unless standard input is a socket, as it is if jitune starts itself as
/// `jitune <command>`, which does `work` for its parent.
void require_parent_socket(std::string_view command, std::string_view work);

}  // namespace jitune::internal
