// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device.hpp"
#include "support/source_scanner.hpp"

namespace jitune::internal {

/// The folders of the headers of one CUDA toolkit and of its CCCL. The toolkit is that at
/// `cuda_path`, if that is not empty; else the one that the library file `nvrtc` belongs to, which
/// may be packages of pip; else /usr/local/cuda. Empty if none of them is there.
std::vector<std::string> toolkit_folders(const std::filesystem::path& cuda_path,
                                         const std::filesystem::path& nvrtc);

/// Whether one of the folders has a header of this name, which must not lead out of it.
bool is_header_of(std::span<const std::string> folders, const std::string& name);

/// An #include of anything but TemplateSource::headers.
struct OtherInclude {
    std::string by;  ///< the source's name, or that of one of its headers
    IncludeDirective directive;
};
std::vector<OtherInclude> other_includes(const TemplateSource& source);

/// Says in one line why `source` must not be given to the compiler; nothing if it may be. A text
/// has a NUL, or a file of `others`, the source's other_includes(), lies in none of the toolkit's
/// `folders`. NVRTC would read such a file from disk, and the hash that names the source in the
/// database would not know its text. A source with folders of its own is not checked for files:
/// the hash knows their headers, and NVRTC says which header it does not find.
std::optional<std::string> flaw_of_source(const TemplateSource& source,
                                          std::span<const OtherInclude> others,
                                          std::span<const std::string> folders);

/// True if nothing in `source` is named as what NVRTC's --minimal leaves out: textures, surfaces
/// and the CUDA runtime's types and functions (NVRTC user guide).
bool is_plain(const TemplateSource& source);

/// Says in one line why `expression` is neither a plain name with template arguments nor the
/// address of a variable. NVRTC preprocesses expressions and evaluates commas, so that they could
/// include files or name something else.
std::optional<std::string> flaw_of_expression(std::string_view expression);

}  // namespace jitune::internal
