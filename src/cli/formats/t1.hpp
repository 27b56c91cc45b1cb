// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/formats/json_file.hpp"

namespace jitune::internal {

/// The name of the size of templates made from T1.
inline constexpr const char* kT1Size = "t1_problem";

/// A kernel template made from a tuning problem in T1, the autotuning community's JSON format for
/// tuning problems (https://github.com/odgaard/TuningSchema), which KTT and Kernel Tuner read.
struct T1Template {
    std::string name;  ///< for messages: the kernel's file
    std::string text;  ///< front matter and the kernel's code
    std::filesystem::path folder;
    std::vector<std::string> notes;  ///< a line for each member that is not used, with the reason
};

/// Translates the format: parameters become macros, the problem has one size of 1 (T1 problems have
/// fixed sizes), and the default configuration computes the reference results. As Kernel Tuner
/// does, it defines the macro kernel_tuner. Only CUDA is supported, and only expressions that
/// translate_python() can translate. Throws Error(usage) that names `file` and the member.
T1Template t1_template(const ParsedJson& document, const std::filesystem::path& file);

/// As above, from a file.
T1Template read_t1(const std::filesystem::path& file);

}  // namespace jitune::internal
