// SPDX-License-Identifier: Apache-2.0
#include "support/temp_dir.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {

namespace {

bool stays_inside(const std::filesystem::path& path) {
    return !path.empty() && path.is_relative() && path.native().find('\0') == std::string::npos &&
           std::find(path.begin(), path.end(), "..") == path.end();
}

constexpr std::string_view kPrefix = "jitune-";

/// Others may have put anything into a folder that is not this user's alone.
bool is_own(const std::filesystem::path& folder) {
    struct stat status {};
    return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == ::geteuid() && (status.st_mode & 0777U) == 0700U;
}

bool is_abandoned(const std::filesystem::path& folder) {
    if (!folder.filename().native().starts_with(kPrefix) || !is_own(folder)) {
        return false;
    }
    std::string owner;
    std::getline(std::ifstream(folder / TempDir::kOwnerFile), owner);
    return has_ended(owner);
}

}  // namespace

void TempDir::remove_abandoned(const std::filesystem::path& folder) noexcept {
    try {
        std::error_code ignored;  // another process may be removing the same
        std::filesystem::directory_iterator entry(folder, ignored);
        for (; entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
            if (is_abandoned(entry->path())) {
                std::filesystem::remove_all(entry->path(), ignored);
            }
        }
    } catch (const std::exception&) {  // no memory: the next process tries again
    }
}

TempDir::TempDir() {
    std::error_code error;
    const auto base = std::filesystem::temp_directory_path(error);
    if (error) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("cannot find the temporary folder: {}; set TMPDIR to a folder that "
                                "exists",
                                error.message()),
                    {NativeCode::Source::system, error.value()});
    }
    [[maybe_unused]] static const bool cleaned = (remove_abandoned(base), true);
    std::string name = (base / (std::string(kPrefix) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) {
        const int code = errno;
        throw Error(ErrorKind::unavailable,
                    fmt::format("cannot make a temporary folder: mkdtemp {}: {}; set TMPDIR to a "
                                "writable folder",
                                name, std::system_category().message(code)),
                    {NativeCode::Source::system, code});
    }
    path_ = name;
    // Where it cannot be written, the folder is only not cleaned up after a kill.
    std::ofstream(path_ / kOwnerFile) << process_identity() << '\n';
}

TempDir::~TempDir() {
    std::error_code ignored;  // a file that stays behind does no harm
    std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TempDir::write(std::string_view name, std::string_view text) const {
    const std::filesystem::path relative(name);
    if (!stays_inside(relative)) {
        throw Error(ErrorKind::usage,
                    fmt::format("file name \"{}\": use a relative name without \"..\"", name));
    }
    const auto path = path_ / relative;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("cannot write {}; is the disk full?", path.string()));
    }
    return path;
}

}  // namespace jitune::internal
