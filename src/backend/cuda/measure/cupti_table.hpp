// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace jitune::internal {

/// CUPTI's profiler, as functions: cupti_functions.hpp. This header includes none of CUPTI's,
/// because these may be missing although CUDA's other headers are there.
struct CuptiTable;

/// toolkit_files() of CUPTI.
std::vector<std::string> cupti_files(const std::filesystem::path& cuda_path,
                                     const std::filesystem::path& own_file);

/// Loads CUPTI for the life of the process. If JITUNE_CUPTI is set, loads only the library that it
/// names. Throws Error(unavailable) that says where it looked and what to do. Null if jitune is
/// built without CUPTI's headers.
std::shared_ptr<const CuptiTable> load_cupti();

}  // namespace jitune::internal
