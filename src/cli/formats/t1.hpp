// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace jitune::internal {

/// The name of the size of templates made from T1; it is 1.
inline constexpr const char* kT1Size = "t1_problem";

/// A kernel template made from a tuning problem in T1, the autotuning community's JSON format for
/// tuning problems (https://github.com/odgaard/TuningSchema), which KTT and Kernel Tuner read.
struct T1Template {
    std::string name;  ///< for messages: the problem's file
    std::string text;  ///< front matter and the kernel's code
    std::filesystem::path folder;
    std::vector<std::string> notes;  ///< a line for each member that is not used, with the reason
};

/// The template that python/jitune/t1 makes of the problem. Throws Error(usage) that names the file
/// and the member for a problem that cannot be translated, and as read_in_python().
T1Template read_t1(const std::filesystem::path& file);

}  // namespace jitune::internal
