// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/compile_for.hpp"
#include "backend/kernel_inspector.hpp"
#include "backend/platform.hpp"
#include "support/log.hpp"

namespace jitune::internal {

/// The machine itself: always one device. That a compiler is missing shows when something must be
/// compiled; stored binaries run without one.
std::unique_ptr<Platform> make_host_platform(const Log& log);

/// An inspector that tells the parameters of kernels, and nothing else.
std::unique_ptr<const KernelInspector> make_host_inspector();

/// Returns the command line that HostCompiler runs. Throws Error(unavailable) if the machine has no
/// C++ compiler.
CompileRecipe make_host_recipe(const DeviceInfo& device, const TemplateSource& source,
                               const Instance& instance);

}  // namespace jitune::internal
