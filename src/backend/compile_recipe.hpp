// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/device.hpp"

namespace jitune::internal {

/// One program as a person compiles it by hand, in a folder with its headers in include/.
struct CompileRecipe {
    std::string file;    ///< "kernel.cu": the name for `text`
    std::string text;    ///< what jitune's compiler gets, to the byte, with what another one needs
    std::string binary;  ///< "kernel.cubin": what `command` makes
    std::vector<std::string> command;  ///< a program and its arguments
    std::vector<std::string> notes;    ///< remarks for the reader, a line each
    /// A profiler's command, to put before the command that runs the program's kernels.
    std::vector<std::string> profiler;
};

/// The recipe for a source, which has its defines, and one instance, which has none. The device
/// need not be there. Throws Error(unavailable) if there is no compiler.
using MakeRecipe = CompileRecipe (*)(const DeviceInfo& device, const TemplateSource& source,
                                     const Instance& instance);

/// Words for a shell, each in quotes where it needs them.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace jitune::internal
