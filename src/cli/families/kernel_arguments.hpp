// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dispatch/engine.hpp"

namespace jitune::internal {

// Arguments that name a problem of a kernel in a file. All throw Error(usage).

/// The template's sizes in its order, each with the text behind its name in one of `words`, such
/// as "n=2^24".
std::vector<std::pair<std::string, std::string>> parse_kernel_size_texts(
    const KernelTemplate& kernel, const std::vector<std::string>& words);

/// The sizes in the template's order, from texts such as "n=2^24", one for each size.
std::vector<std::int64_t> parse_kernel_sizes(const KernelTemplate& kernel,
                                             const std::vector<std::string>& words);

/// Types by type parameter, from texts such as "element=float32".
std::map<std::string, std::string> parse_kernel_types(const std::vector<std::string>& words);

/// The device of that id, which must be of the template's platform; the first of it where it
/// is empty. Throws also as refuse_auto(), and Error(unavailable), which ends with `advice`, where
/// there is none.
Device& device_for(Engine& engine, const KernelTemplate& kernel, const std::string& device,
                   std::string_view advice);

}  // namespace jitune::internal
