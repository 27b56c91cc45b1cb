// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/formats/t1_scope.hpp"

namespace jitune::internal {

struct T1Arguments {
    std::string table;               ///< the lines of a template's [arguments]
    std::vector<std::string> order;  ///< names, in the kernel's order
};

/// Translates `Arguments` of a tuning problem in T1. `folder` is where its data files lie. Adds
/// lines to `notes` for what is left out. Throws Error(usage) that names the argument and its
/// member, also where no argument is written: then no result could be checked.
T1Arguments t1_arguments(const ParsedJson& kernel, const T1Scope& scope,
                         const std::filesystem::path& folder, std::vector<std::string>& notes);

}  // namespace jitune::internal
