// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/compile_for.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// The program of one configuration, as a person reads and compiles it.
struct ShownProgram {
    const KernelTemplate& kernel;
    const Problem& problem;
    const DeviceInfo& device;
    Configuration configuration;
    std::string role;  ///< "winner, default": why it is shown

    [[nodiscard]] Instance instance() const { return kernel.instance(problem, configuration); }
    /// Throws Error(unavailable) where this build has no compiler for the device.
    [[nodiscard]] CompileRecipe recipe() const;

    /// Lines that say what it is: kernel, problem, device, role, configuration, and the names that
    /// its launches call.
    [[nodiscard]] std::vector<std::string> description() const;
};

/// How to compile it: the command, then remarks, a line each.
std::vector<std::string> recipe_lines(const ShownProgram& program, const CompileRecipe& recipe);

}  // namespace jitune::internal
