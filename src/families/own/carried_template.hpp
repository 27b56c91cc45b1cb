// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "template/kernel.hpp"

namespace jitune::internal {

/// A kernel of one's own with all that it is made from, for machines that lack its files.
struct CarriedTemplate {
    std::string name;  ///< of the file, as it was given
    std::string text;
    /// The headers and TOML files in its folder, by the names that it includes them by.
    std::map<std::string, std::string> headers;
    std::vector<std::string> options;  ///< for the compiler, behind those of the front matter
};

/// Throws Error(usage) as kernel_from_file(), for a template that needs files which are not
/// carried, those of include_folders and of arrays, and for text that is not UTF-8.
CarriedTemplate carried_template(const std::filesystem::path& path,
                                 const std::vector<std::string>& options);

/// The kernel, made of copies of its files that last as long as it does. Throws Error(usage) as
/// kernel_from_text(), and for a header outside of the folder; Error(unavailable) if the copies
/// cannot be written.
std::shared_ptr<const Kernel> kernel_of(const CarriedTemplate& carried);

}  // namespace jitune::internal
