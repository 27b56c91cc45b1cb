// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dispatch/engine.hpp"
#include "template/kernel_template.hpp"

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

/// The device of that id, which must be of the template's platform; the first of it if it
/// is empty. Throws also as refuse_auto(), and Error(unavailable), which ends with `advice`, if
/// there is none.
Device& device_for(Engine& engine, const KernelTemplate& kernel, const std::string& device,
                   std::string_view advice);

/// The configuration of a text such as "block=256 pack=4". Parameters that it leaves out have their
/// values in the default of the problem on the device. Throws Error(usage) for a name or a value
/// that the template does not list, and, with the constraint that refuses it, for a configuration
/// that no search would try there.
Configuration parse_configuration(const std::string& text, const KernelTemplate& kernel,
                                  const Problem& problem, const DeviceInfo& device);

// The problem of a kernel in a file if nothing is run, so that sizes and types may be left out.

/// As parse_kernel_sizes(); a size that was not given is 4096.
std::vector<std::int64_t> usual_kernel_sizes(const KernelTemplate& kernel,
                                             std::vector<std::string> words);

/// The types that were given. Of those that were not, all names of the first that has names; the
/// others take the same name if they have it, else their own first. Not empty.
std::vector<std::map<std::string, std::string>> usual_kernel_types(
    const KernelTemplate& kernel, const std::map<std::string, std::string>& given);

}  // namespace jitune::internal
