// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/nvrtc_table.hpp"

#include <fmt/format.h>

#include "backend/cuda/toolkit_library.hpp"
#include "jitune/error.hpp"
#include "support/shared_library.hpp"

namespace jitune::internal {
namespace {

ToolkitLibrary nvrtc_library() {
    return {.variable = "JITUNE_NVRTC",
            .names = {"libnvrtc.so.13", "libnvrtc.so.12"},
            .plain_name = "libnvrtc.so",
            .folders = {"lib64"},
            .pip_folder = "cuda_nvrtc"};
}

SharedLibrary open_nvrtc() {
    try {
        return SharedLibrary::open(toolkit_files(nvrtc_library()),
                                   SharedLibrary::Lifetime::process);
    } catch (const Error& error) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("NVRTC not found ({}): install CUDA's libnvrtc 12 or later, or set "
                                "JITUNE_NVRTC to its file",
                                error.what()));
    }
}

void* resolve_nvrtc(const SharedLibrary& library, const char* symbol) {
    if (void* address = library.find(symbol)) {
        return address;
    }
    throw Error(ErrorKind::unavailable,
                fmt::format("the NVRTC found is too old: it has no {}; install libnvrtc 12 or "
                            "later, or set JITUNE_NVRTC to its file",
                            symbol));
}

}  // namespace

std::vector<std::string> nvrtc_files(const std::filesystem::path& cuda_path,
                                     const std::filesystem::path& own_file) {
    return toolkit_files(nvrtc_library(), cuda_path, own_file);
}

std::shared_ptr<const NvrtcTable> load_nvrtc() {
    const SharedLibrary library = open_nvrtc();
    auto table = std::make_shared<NvrtcTable>();
#define JITUNE_RESOLVE(function) \
    table->function = reinterpret_cast<decltype(&::function)>(resolve_nvrtc(library, #function));
    JITUNE_NVRTC_FUNCTIONS(JITUNE_RESOLVE)
#undef JITUNE_RESOLVE
    return table;
}

const NvrtcTable& LazyNvrtc::get() {
    const std::lock_guard lock(mutex_);
    if (!table_) {
        table_ = loader_();
    }
    return *table_;
}

}  // namespace jitune::internal
