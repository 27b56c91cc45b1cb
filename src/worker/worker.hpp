// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>

#include "dispatch/family.hpp"

namespace jitune::internal {

/// Runs a worker process until its end. Receives tunings over standard input, which is a socket,
/// and answers there (tuning/isolation/worker_request.hpp). Keeps temporary files in `scratch`.
/// Ends the process and all that it has started, when its parent ends or after a tuning that lost
/// the device. Throws Error(usage) where standard input is not a socket.
[[noreturn]] void run_worker(const std::filesystem::path& scratch,
                             std::span<const Family> families);

}  // namespace jitune::internal
