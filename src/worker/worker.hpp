#pragma once

#include <filesystem>
#include <span>

#include "worker/kernel_table.hpp"

namespace jitune {

/// The whole life of a worker process: takes tunings over standard input, which is a socket, and
/// answers there (engine/worker_request.hpp). Keeps temporary files in `scratch`. Ends the process,
/// and all that it has started, with its parent or after a tuning that lost the device. Throws
/// Error(usage) where standard input is no socket.
[[noreturn]] void run_worker(const std::filesystem::path& scratch,
                             std::span<const KernelEntry> table = kernel_table());

}  // namespace jitune
