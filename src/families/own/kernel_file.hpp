// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "backend/device.hpp"
#include "dispatch/engine.hpp"

namespace jitune::internal {

/// The folders of the front matter's key `include_folders`, absolute; a relative one begins in
/// `folder`, the template's. Empty if the front matter cannot be read, which its parser reports.
/// Throws Error(usage) for one that is no folder.
std::vector<std::string> include_folders_of(const std::string& text,
                                            const std::filesystem::path& folder);

/// True if the path, which an #include names, is a file. Throws Error(usage) if it is neither a
/// file nor a folder, such as a named pipe, for which a compiler would wait.
bool is_header_file(const std::filesystem::path& path);

/// A digest of all headers that the text of `source` or one of its own headers includes from its
/// folders, directly or through others. Where several folders have a header of that name, all of
/// them. Empty without folders. Throws Error(usage) for more than 20 000 headers, for an #include
/// without a literal name in the text or an own header, and as is_header_file() does.
std::string digest_of_folders(const TemplateSource& source);

/// Makes a kernel from a user's template file, with the headers that its #include directives name
/// and the TOML files that its front matter includes. Each is looked for in the file's folder, then
/// among jitune's own. Throws Error(usage): no such file, wrong front matter, no [reference].
/// The compiler gets `options` behind those of the front matter; they are part of the template's
/// hash. With `capture`, the folder of a CapturedCall, candidates are timed on that call's data.
Kernel kernel_from_file(const std::filesystem::path& path,
                        const std::vector<std::string>& options = {},
                        const std::filesystem::path& capture = {});

/// A template with the text between its #ifdef JITUNE_HOST and #endif, which may be empty.
struct TemplateFile {
    KernelTemplate kernel;
    TemplateSource host;
};

/// Only the template of kernel_from_file(). It may lack a [reference].
TemplateFile template_from_file(const std::filesystem::path& path,
                                const std::vector<std::string>& options = {});

// As above, from text in memory; `folder` holds its headers and .npy files.

TemplateFile template_from_text(std::string name, const std::string& text,
                                const std::filesystem::path& folder,
                                const std::vector<std::string>& options = {});

Kernel kernel_from_text(std::string name, const std::string& text,
                        const std::filesystem::path& folder,
                        const std::vector<std::string>& options = {},
                        const std::filesystem::path& capture = {});

/// Makes a kernel of the functions above again from its Kernel::spec, in a worker. Throws
/// Error(usage) for a malformed spec.
Kernel kernel_file_of(std::span<const std::string> spec);

/// The problem of a kernel with these sizes, in the template's order, and types. `types` may leave
/// out a type parameter that has one name only. Throws Error(usage) for sizes and types that do not
/// fit the template.
Problem kernel_problem(const KernelTemplate& kernel, std::vector<std::int64_t> sizes,
                       std::map<std::string, std::string> types);

}  // namespace jitune::internal
