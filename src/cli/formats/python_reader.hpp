// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/formats/json.hpp"

namespace jitune::internal {

/// A format of other tuners that python/jitune/t1 reads.
struct ForeignFormat {
    const char* name;    ///< for messages: "the T1 tuning problem"
    const char* module;  ///< whose function answer_of() answers
};

/// What the module answers to the text of the file. The command holds the package and runs it with
/// python3 of $PATH, apart from all settings and packages of that. Throws Error(usage) with the
/// answer's `error`, and Error(unavailable) where there is no Python that runs the package.
Json read_in_python(const ForeignFormat& format, const std::filesystem::path& file,
                    const std::string& text);

/// Throws Error(unavailable) for an answer that is not what the module of this jitune gives.
[[noreturn]] void refuse_answer(const ForeignFormat& format, const std::filesystem::path& file);

}  // namespace jitune::internal
