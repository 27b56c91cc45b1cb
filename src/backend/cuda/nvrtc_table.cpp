// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/nvrtc_table.hpp"

#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/shared_library.hpp"

namespace jitune::internal {
namespace {

std::vector<std::string> library_names() {
    // A set-uid program must not load what its caller's environment names.
    if (const char* chosen = secure_getenv("JITUNE_NVRTC"); chosen != nullptr && *chosen != '\0') {
        return {chosen};
    }
    std::vector<std::string> names;
    for (const char* folder : {"", "/usr/local/cuda/lib64/"}) {
        for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
            names.push_back(std::string(folder) + name);
        }
    }
    return names;
}

SharedLibrary open_nvrtc() {
    try {
        return SharedLibrary::open(library_names(), SharedLibrary::Lifetime::process);
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
