// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/nvrtc_table.hpp"

#include <sys/auxv.h>

#include <array>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/own_file.hpp"
#include "support/shared_library.hpp"

namespace jitune::internal {
namespace {

/// The rights of a program must not be lent to files that its caller names or has put beside it.
bool has_more_rights() {
    return ::getauxval(AT_SECURE) != 0;
}

std::vector<std::string> library_names() {
    const auto text = [](const char* name) {
        const char* const value = has_more_rights() ? nullptr : std::getenv(name);
        return std::string(value == nullptr ? "" : value);
    };
    if (const std::string chosen = text("JITUNE_NVRTC"); !chosen.empty()) {
        return {chosen};
    }
    return nvrtc_files(text("CUDA_PATH"), has_more_rights() ? "" : own_file());
}

/// The folder of pip's packages, if this code is the extension in the Python package jitune, or the
/// command in the package's bin; else empty. So is a folder that others may write.
std::filesystem::path packages_of_pip(const std::filesystem::path& own_file) {
    const std::filesystem::path folder = own_file.parent_path();
    const std::filesystem::path package =
        folder.filename() == "bin" ? folder.parent_path() : folder;
    const std::filesystem::path packages = package.parent_path();
    return package.filename() == "jitune" && !is_foreign(packages) ? packages : "";
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

std::vector<std::string> nvrtc_files(const std::filesystem::path& cuda_path,
                                     const std::filesystem::path& own_file) {
    constexpr std::array kNames{"libnvrtc.so.13", "libnvrtc.so.12"};
    std::vector<std::string> files;
    const auto add_existing = [&](const std::filesystem::path& folder) {
        for (const char* name : kNames) {
            std::error_code error;
            const std::filesystem::path file = (folder / name).lexically_normal();
            if (folder.is_absolute() && std::filesystem::exists(file, error)) {
                files.push_back(file.native());
            }
        }
    };
    add_existing(cuda_path / "lib64");
    if (const auto packages = packages_of_pip(own_file); !packages.empty()) {
        add_existing(packages / "nvidia/cu13/lib");
        add_existing(packages / "nvidia/cuda_nvrtc/lib");
    }
    for (const char* folder : {"", "/usr/local/cuda/lib64/"}) {
        for (const char* name : {kNames[0], kNames[1], "libnvrtc.so"}) {
            files.push_back(std::string(folder) + name);
        }
    }
    return files;
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
