// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "dispatch/engine.hpp"

namespace jitune::internal {

/// A kernel of the user's own, from a template file: with the headers that its #include directives
/// name and the TOML files that its front matter includes, each from the file's folder, else from
/// jitune's own. Throws Error(usage): no such file, bad front matter, no [reference].
Kernel kernel_from_file(const std::filesystem::path& path);

/// As above, of text that is in memory; `folder` is where its headers and .npy files are.
Kernel kernel_from_text(std::string name, std::string text, const std::filesystem::path& folder);

/// The kernel that Kernel::spec of such a kernel tells of.
Kernel kernel_file_of(std::span<const std::string> spec);

/// The problem of a kernel at its sizes, in their order. A type parameter that has one name only
/// needs no mention in `types`. Throws Error(usage) for sizes and types that the kernel has not.
Problem kernel_problem(const KernelTemplate& kernel, std::vector<std::int64_t> sizes,
                       std::map<std::string, std::string> types);

}  // namespace jitune::internal
