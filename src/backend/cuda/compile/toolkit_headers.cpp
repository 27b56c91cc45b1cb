// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/toolkit_headers.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

/// Returns the folder `include` and the folder of its CCCL, or nothing if `include` does not hold
/// CUDA's headers.
std::vector<std::string> folders_of(const fs::path& include) {
    std::vector<std::string> folders;
    if (include.is_absolute() && is_file(include / "cuda_runtime_api.h")) {
        folders.push_back(include.lexically_normal().native());
        // CUDA 13 and pip's older packages have CCCL in a folder of its own.
        for (const fs::path& cccl : {include / "cccl", include / "../../cuda_cccl/include"}) {
            if (is_file(cccl / "cuda/std/version") || is_file(cccl / "cub/cub.cuh")) {
                folders.push_back(cccl.lexically_normal().native());
                break;
            }
        }
    }
    return folders;
}

fs::path real_path(const fs::path& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? path : real;
}

}  // namespace

std::vector<std::string> toolkit_folders(const fs::path& cuda_path, const fs::path& nvrtc) {
    const fs::path library = real_path(nvrtc).parent_path();
    for (const fs::path& include :
         {cuda_path.empty() ? fs::path() : cuda_path / "include", library / "../include",
          library / "../../cuda_runtime/include", fs::path("/usr/local/cuda/include")}) {
        if (std::vector<std::string> folders = folders_of(include); !folders.empty()) {
            return folders;
        }
    }
    return {};
}

std::vector<std::string> toolkit_folders(const NvrtcTable& nvrtc) {
    const char* const chosen = ::secure_getenv("CUDA_PATH");
    Dl_info place{};
    const bool known = ::dladdr(reinterpret_cast<void*>(nvrtc.nvrtcVersion), &place) != 0;
    return toolkit_folders(chosen != nullptr ? chosen : "", known ? place.dli_fname : "");
}

bool is_header_of(std::span<const std::string> folders, const std::string& name) {
    const fs::path path(name);
    const bool leaves = path.is_absolute() || std::ranges::find(path, "..") != path.end();
    return !leaves && std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
        return is_file(fs::path(folder) / path);
    });
}

}  // namespace jitune::internal
