// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/nvrtc_table.hpp"

#include "backend/cuda/driver/toolkit_library.hpp"

namespace jitune::internal {
namespace {

ToolkitLibrary nvrtc_library() {
    return {.name = "NVRTC",
            .wanted = "libnvrtc 12 or later",
            .variable = "JITUNE_NVRTC",
            .names = {"libnvrtc.so.13", "libnvrtc.so.12"},
            .plain_name = "libnvrtc.so",
            .folders = {"lib64"},
            .pip_folder = "cuda_nvrtc"};
}

}  // namespace

std::vector<std::string> nvrtc_files(const std::filesystem::path& cuda_path,
                                     const std::filesystem::path& own_file) {
    return toolkit_files(nvrtc_library(), cuda_path, own_file);
}

std::shared_ptr<const NvrtcTable> load_nvrtc() {
    const ToolkitLibrary library = nvrtc_library();
    const SharedLibrary opened = open_toolkit_library(library);
    auto table = std::make_shared<NvrtcTable>();
#define JITUNE_RESOLVE(function) \
    table->function =            \
        reinterpret_cast<decltype(&::function)>(resolve_in(opened, library, #function));
    JITUNE_NVRTC_FUNCTIONS(JITUNE_RESOLVE)
#undef JITUNE_RESOLVE
    return table;
}

}  // namespace jitune::internal
