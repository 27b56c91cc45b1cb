// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "template/kernel_template.hpp"

namespace jitune::internal {

// The problem of a kernel in a file where nothing is run, so that sizes and types may be left out.

/// As parse_kernel_sizes(); a size that was not given is 4096.
std::vector<std::int64_t> usual_kernel_sizes(const KernelTemplate& kernel,
                                             std::vector<std::string> words);

/// The types that were given. Of those that were not, all names of the first that has names; the
/// others take the same name where they have it, else their own first. Not empty.
std::vector<std::map<std::string, std::string>> usual_kernel_types(
    const KernelTemplate& kernel, const std::map<std::string, std::string>& given);

}  // namespace jitune::internal
