// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/toolkit_library.hpp"

#include <sys/auxv.h>

#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "backend/shared_library.hpp"
#include "jitune/error.hpp"
#include "support/file_facts.hpp"

namespace jitune::internal {
namespace {

/// The rights of a program must not be lent to files that its caller names or has put beside it.
bool has_more_rights() {
    return ::getauxval(AT_SECURE) != 0;
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

}  // namespace

std::vector<std::string> toolkit_files(const ToolkitLibrary& library,
                                       const std::filesystem::path& cuda_path,
                                       const std::filesystem::path& own_file) {
    std::vector<std::string> files;
    const auto add_existing = [&](const std::filesystem::path& folder) {
        for (const std::string& name : library.names) {
            std::error_code error;
            const std::filesystem::path file = (folder / name).lexically_normal();
            if (folder.is_absolute() && std::filesystem::exists(file, error)) {
                files.push_back(file.native());
            }
        }
    };
    const auto add_all = [&](const std::string& folder) {
        for (const std::string& name : library.names) {
            files.push_back(folder + name);
        }
        files.push_back(folder + library.plain_name);
    };
    for (const std::string& folder : library.folders) {
        add_existing(cuda_path / folder);
    }
    if (const auto packages = packages_of_pip(own_file); !packages.empty()) {
        add_existing(packages / "nvidia/cu13/lib");
        add_existing(packages / "nvidia" / library.pip_folder / "lib");
    }
    add_all("");
    for (const std::string& folder : library.folders) {
        add_all("/usr/local/cuda/" + folder + "/");
    }
    return files;
}

std::vector<std::string> toolkit_files(const ToolkitLibrary& library) {
    const auto text = [](const char* name) {
        const char* const value = has_more_rights() ? nullptr : std::getenv(name);
        return std::string(value == nullptr ? "" : value);
    };
    if (const std::string chosen = text(library.variable); !chosen.empty()) {
        return {chosen};
    }
    return toolkit_files(library, text("CUDA_PATH"), has_more_rights() ? "" : own_file());
}

std::function<void*(const char* function)> open_toolkit_library(const ToolkitLibrary& library) {
    try {
        return [library,
                opened = SharedLibrary::open(toolkit_files(library))](const char* function) {
            if (void* address = opened.find(function)) {
                return address;
            }
            throw Error(ErrorKind::unavailable,
                        fmt::format("the {} found is too old: it has no {}; install {}, or set {} "
                                    "to its file",
                                    library.name, function, library.wanted, library.variable));
        };
    } catch (const Error& error) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("{} not found ({}): install CUDA's {}, or set {} to its file",
                                library.name, error.what(), library.wanted, library.variable));
    }
}

}  // namespace jitune::internal
