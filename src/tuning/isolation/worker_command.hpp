// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <vector>

namespace jitune::internal {

/// What Options::worker and JITUNE_WORKER are where nothing is tuned in a worker.
inline constexpr const char* kNoWorker = "none";

/// Returns the worker's command as Options::worker, here `option`, names it, else JITUNE_WORKER. A
/// path is absolute, so that it holds after the app has changed its folder; a name without a slash
/// stays one. Empty where neither is set.
std::filesystem::path named_worker(const std::filesystem::path& option);

/// Where the command lies that nobody names: as it is built and installed together with the program
/// or shared library that this code is part of, and in the folder that jitune is configured for.
std::vector<std::filesystem::path> usual_workers();

/// The command that is `named`, else the first of the `usual` ones that can be run, else the
/// `jitune` on $PATH. Throws Error(unavailable) that says where it was looked for and what to do.
std::filesystem::path find_worker(const std::filesystem::path& named,
                                  std::span<const std::filesystem::path> usual);

}  // namespace jitune::internal
