// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/compile/nvrtc_table.hpp"

namespace jitune::internal {

/// The folders of the headers of one CUDA toolkit and its CCCL: of that at `cuda_path`, if it is
/// not empty; else of that which `nvrtc`, a library file, is part of, also as packages of pip; else
/// of /usr/local/cuda. Empty if none of them is there.
std::vector<std::string> toolkit_folders(const std::filesystem::path& cuda_path,
                                         const std::filesystem::path& nvrtc);

/// toolkit_folders() of the loaded NVRTC and of CUDA_PATH.
std::vector<std::string> toolkit_folders(const NvrtcTable& nvrtc);

/// Whether one of the folders has a header of this name, which must not lead out of it.
bool is_header_of(std::span<const std::string> folders, const std::string& name);

}  // namespace jitune::internal
