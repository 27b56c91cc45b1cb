// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/measure/cupti_table.hpp"

#include "backend/cuda/driver/toolkit_library.hpp"

#if __has_include(<cupti_range_profiler.h>)
#include "backend/cuda/measure/cupti_functions.hpp"
#endif

namespace jitune::internal {
namespace {

ToolkitLibrary cupti_library() {
    return {.name = "CUPTI",
            .wanted = "libcupti 12.6 or later",
            .variable = "JITUNE_CUPTI",
            .names = {"libcupti.so.13", "libcupti.so.12"},
            .plain_name = "libcupti.so",
            .folders = {"lib64", "extras/CUPTI/lib64"},
            .pip_folder = "cuda_cupti"};
}

}  // namespace

std::vector<std::string> cupti_files(const std::filesystem::path& cuda_path,
                                     const std::filesystem::path& own_file) {
    return toolkit_files(cupti_library(), cuda_path, own_file);
}

#if __has_include(<cupti_range_profiler.h>)

std::shared_ptr<const CuptiTable> load_cupti() {
    const ToolkitLibrary library = cupti_library();
    const SharedLibrary opened = open_toolkit_library(library);
    auto table = std::make_shared<CuptiTable>();
#define JITUNE_RESOLVE(function) \
    table->function =            \
        reinterpret_cast<decltype(&::function)>(resolve_in(opened, library, #function));
    JITUNE_CUPTI_FUNCTIONS(JITUNE_RESOLVE)
#undef JITUNE_RESOLVE
    return table;
}

#else

std::shared_ptr<const CuptiTable> load_cupti() {
    return nullptr;
}

#endif

}  // namespace jitune::internal
