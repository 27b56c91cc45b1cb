// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace jitune::internal {

/// The name of the one size of templates made from T1, and the sizes of their problem.
inline constexpr const char* kT1Size = "t1_problem";
inline const std::vector<std::int64_t> kT1Sizes{1};

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
