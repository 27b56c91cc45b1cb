// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <vector>

namespace jitune::internal {

/// The value of Options::worker and JITUNE_WORKER that forbids workers.
inline constexpr const char* kNoWorker = "none";

/// Returns the worker's command as Options::worker, here `option`, names it, else JITUNE_WORKER. A
/// path becomes absolute, so that it stays valid if the app changes its folder; a name without a
/// slash stays a name. Empty if neither is set.
std::filesystem::path named_worker(const std::filesystem::path& option);

/// The paths where the command is looked for if nobody names it: beside the program or shared
/// library that this code is part of, as it is built and as it is installed, and in the folder that
/// jitune is configured for.
std::vector<std::filesystem::path> usual_workers();

/// The command that is `named`, else the first of the `usual` ones that can be run, else the
/// `jitune` on $PATH. Throws Error(unavailable) that says where it was looked for and what to do.
std::filesystem::path find_worker(const std::filesystem::path& named,
                                  std::span<const std::filesystem::path> usual);

}  // namespace jitune::internal
