// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cupti_table.hpp"

#include <fmt/format.h>

#include "backend/cuda/toolkit_library.hpp"
#include "jitune/error.hpp"
#include "support/shared_library.hpp"

#if __has_include(<cupti_range_profiler.h>)
#include "backend/cuda/cupti_functions.hpp"
#endif

namespace jitune::internal {
namespace {

ToolkitLibrary cupti_library() {
    return {.variable = "JITUNE_CUPTI",
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

namespace {

SharedLibrary open_cupti() {
    try {
        return SharedLibrary::open(toolkit_files(cupti_library()),
                                   SharedLibrary::Lifetime::process);
    } catch (const Error& error) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("CUPTI not found ({}): install CUDA's libcupti 12.6 or later, or "
                                "set JITUNE_CUPTI to its file",
                                error.what()));
    }
}

void* resolve_cupti(const SharedLibrary& library, const char* symbol) {
    if (void* address = library.find(symbol)) {
        return address;
    }
    throw Error(ErrorKind::unavailable,
                fmt::format("the CUPTI found is too old: it has no {}; install libcupti 12.6 or "
                            "later, or set JITUNE_CUPTI to its file",
                            symbol));
}

}  // namespace

std::shared_ptr<const CuptiTable> load_cupti() {
    const SharedLibrary library = open_cupti();
    auto table = std::make_shared<CuptiTable>();
#define JITUNE_RESOLVE(function) \
    table->function = reinterpret_cast<decltype(&::function)>(resolve_cupti(library, #function));
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
