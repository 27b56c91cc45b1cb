// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/device.hpp"
#include "cli/tune/shown_program.hpp"

namespace jitune::internal {

/// A folder with programs for other tools: one folder for each configuration, named by a digest of
/// all that its code depends on, with the source, its headers in include/, the binary, compile.txt
/// and configuration.txt.
class KeptPrograms {
public:
    /// Makes the folder where it is missing. Throws Error(usage) where it cannot be written to.
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

}  // namespace jitune::internal
