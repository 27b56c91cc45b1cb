// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace jitune::internal {

/// A library of CUDA's toolkit, which may be installed in several ways.
struct ToolkitLibrary {
    const char* name;                ///< "NVRTC", for messages
    const char* wanted;              ///< "libnvrtc 12 or later", likewise
    const char* variable;            ///< of the environment: names the one file to load
    std::vector<std::string> names;  ///< newest first; those with the number of a version
    std::string plain_name;          ///< without that number
    /// The folders of a toolkit in which the library is looked for.
    std::vector<std::string> folders;
    std::string pip_folder;  ///< of its package of pip for CUDA 12
};

/// Where the library is looked for, in this order: in the toolkit at `cuda_path`, if it is not
/// empty; in CUDA's packages of pip beside the Python package that holds `own_file`; where the
/// system finds libraries; in /usr/local/cuda. Of the first two only what exists.
std::vector<std::string> toolkit_files(const ToolkitLibrary& library,
                                       const std::filesystem::path& cuda_path,
                                       const std::filesystem::path& own_file);

/// toolkit_files() for this process and its environment; only the file that the library's variable
/// names, if that is set. A process that has more rights than its caller reads no variable.
std::vector<std::string> toolkit_files(const ToolkitLibrary& library);

/// Loads the library for the life of the process, and returns what finds the addresses of its
/// functions. Both throw Error(unavailable) that says what to install.
std::function<void*(const char* function)> open_toolkit_library(const ToolkitLibrary& library);

}  // namespace jitune::internal
