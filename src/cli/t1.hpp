// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/json_file.hpp"

namespace jitune::internal {

/// A kernel template made from a tuning problem in T1, the autotuning community's JSON format for
/// tuning problems (https://github.com/odgaard/TuningSchema).
struct T1Template {
    std::string name;  ///< for messages: the kernel's file
    std::string text;  ///< front matter and the kernel's code
    std::filesystem::path folder;
};

/// Translates the format: parameters become macros, the problem has one size of 1 (T1 problems have
/// fixed sizes), and the default configuration computes the reference results. Only CUDA is
/// supported, and only expressions that t1_expression() can translate. Throws Error(usage) that
/// names `file` and the key.
T1Template t1_template(const ParsedJson& document, const std::filesystem::path& file);

/// As above, from a file.
T1Template read_t1(const std::filesystem::path& file);

/// Translates an expression of Python or C into jitune's: &&, ||, !, // and != become AND, OR, NOT,
/// / and <>.
std::string t1_expression(const std::string& text);

}  // namespace jitune::internal
