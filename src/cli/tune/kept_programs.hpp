// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/compile_for.hpp"
#include "backend/device.hpp"
#include "template/kernel_template.hpp"
#include "tuning/search/search_plan.hpp"
#include "tuning/task.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// The program of one configuration, as a person reads and compiles it.
struct ShownProgram {
    const KernelTemplate& kernel;
    const Problem& problem;
    const DeviceInfo& device;
    Configuration configuration;
    std::string role;  ///< "winner, default": why it is shown

    [[nodiscard]] Instance instance() const { return kernel.instance(problem, configuration); }
    /// Throws Error(unavailable) if this build has no compiler for the device.
    [[nodiscard]] CompileRecipe recipe() const;

    /// Lines that say what it is: kernel, problem, device, role, configuration, and the names that
    /// its launches call.
    [[nodiscard]] std::vector<std::string> description() const;
};

/// How to compile it: the command, then remarks, a line each.
std::vector<std::string> recipe_lines(const ShownProgram& program, const CompileRecipe& recipe);

/// A folder with programs for other tools: one folder for each configuration, named by a digest of
/// all that its code depends on, with the source, its headers in include/, the binary, compile.txt
/// and configuration.txt.
class KeptPrograms {
public:
    /// Makes the folder if it is missing. Throws Error(usage) if it cannot be written to.
    explicit KeptPrograms(std::filesystem::path folder);

    /// Writes one folder and returns its path. `outcome` is the compiled code or why there is none;
    /// `remarks` are further lines for compile.txt. Another folder appears whole or not at all; in
    /// one that an earlier call has written, each file is replaced, and files that others have put
    /// there stay. Throws Error(usage) for a folder or file of that name that is not jitune's.
    [[nodiscard]] std::filesystem::path add(const ShownProgram& program,
                                            const CompileOutcome& outcome,
                                            const std::vector<std::string>& remarks) const;

private:
    std::filesystem::path folder_;
};

/// A configuration whose program was kept.
struct KeptConfiguration {
    std::string role;  ///< "winner", "default" or "first"; several with commas
    std::string configuration;
    std::filesystem::path folder;
};

/// Keeps the programs of a tuning's winner, of the default and of SearchPlan::first. `command` is
/// that of the tuning: "tune", the file and the problem's options. Throws Error as KeptPrograms
/// does, and Error(unavailable) without a compiler.
std::vector<KeptConfiguration> keep_tuned(const KeptPrograms& programs, const Task& task,
                                          const SearchPlan& plan, const TuneReport& report,
                                          const std::vector<std::string>& command);

}  // namespace jitune::internal
