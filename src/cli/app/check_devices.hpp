// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/platform.hpp"
#include "check/check_jobs.hpp"
#include "jitune/options.hpp"
#include "support/temp_dir.hpp"
#include "tuning/isolation/compiler_pool.hpp"

namespace jitune::internal {

/// Devices of a platform that need not be there. They must not outlive it.
class CheckDevices {
public:
    CheckDevices(PlatformKind platform, const Options& options);

    /// One device for each architecture of a comma-separated list; for an empty list, the usual
    /// ones of the platform. For the platform of the host, the host. Throws Error: usage for an
    /// unknown architecture, unavailable if there is no compiler.
    std::vector<CheckDevice> of(const std::string& architectures);

    /// The host, with its compiler. Throws Error(usage) for another architecture.
    CheckDevice host(const std::string& architecture = {});

private:
    PlatformKind platform_;
    Log log_;
    const std::unique_ptr<const TempDir> headers_;  ///< null if it cannot be made
    CompilerPool pool_;
    std::shared_ptr<const KernelInspector> inspector_;
    std::unique_ptr<Platform> host_;
};

}  // namespace jitune::internal
