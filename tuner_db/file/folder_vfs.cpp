// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/folder_vfs.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "tuner_db/file/sqlite_failure.hpp"

namespace jitune::internal::sqlite {

namespace {

// Not /proc/self, which has no descriptors once the first thread of the process has ended.
constexpr std::string_view kDescriptors = "/proc/thread-self/fd/";

template <auto method, class... Arguments>
auto forward(sqlite3_vfs* self, Arguments... arguments) {
    sqlite3_vfs* const usual = static_cast<const FolderVfs*>(self->pAppData)->usual();
    return (usual->*method)(usual, arguments...);
}

sqlite3_vfs* usual_vfs() {
    const int code = sqlite3_initialize();
    sqlite3_vfs* const usual = code == SQLITE_OK ? sqlite3_vfs_find(nullptr) : nullptr;
    if (usual == nullptr) {
        throw Failure(fmt::format("tuning database: cannot set SQLite up: {} (SQLite code {})",
                                  sqlite3_errstr(code), code),
                      code == SQLITE_OK ? SQLITE_ERROR : code);
    }
    return usual;
}

int full_path(sqlite3_vfs* self, const char* path, int size, char* full) {
    const std::string_view whole(path);
    const std::string result =
        fmt::format("{}/{}", static_cast<const FolderVfs*>(self->pAppData)->path(),
                    whole.substr(whole.rfind('/') + 1));
    if (result.size() >= static_cast<std::size_t>(size)) {
        return SQLITE_CANTOPEN;
    }
    full[result.copy(full, result.size())] = '\0';
    return SQLITE_OK;
}

}  // namespace

FolderVfs::FolderVfs(FileDescriptor folder)
    : folder_(std::move(folder)),
      path_(fmt::format("{}{}", kDescriptors, folder_.number())),
      name_(fmt::format("jitune {}", fmt::ptr(this))),
      usual_(usual_vfs()) {
    vfs_.iVersion = 1;  // the methods below
    vfs_.szOsFile = usual_->szOsFile;
    vfs_.mxPathname = usual_->mxPathname;
    vfs_.zName = name_.c_str();
    vfs_.pAppData = this;
    vfs_.xOpen = forward<&sqlite3_vfs::xOpen>;
    vfs_.xDelete = forward<&sqlite3_vfs::xDelete>;
    vfs_.xAccess = forward<&sqlite3_vfs::xAccess>;
    vfs_.xFullPathname = full_path;
    vfs_.xRandomness = forward<&sqlite3_vfs::xRandomness>;
    vfs_.xSleep = forward<&sqlite3_vfs::xSleep>;
    vfs_.xCurrentTime = forward<&sqlite3_vfs::xCurrentTime>;
    vfs_.xGetLastError = forward<&sqlite3_vfs::xGetLastError>;
    sqlite3_vfs_register(&vfs_, 0);
}

FolderVfs::~FolderVfs() {
    sqlite3_vfs_unregister(&vfs_);
}

bool FolderVfs::works() const {
    struct stat by_path {};
    struct stat by_number {};
    return ::stat(path_.c_str(), &by_path) == 0 && ::fstat(folder_.number(), &by_number) == 0 &&
           by_path.st_dev == by_number.st_dev && by_path.st_ino == by_number.st_ino;
}

std::string FolderVfs::shown(std::string_view file) {
    std::error_code error;
    const std::filesystem::path path(file);
    const auto folder = file.starts_with(kDescriptors)
                            ? std::filesystem::read_symlink(path.parent_path(), error)
                            : path.parent_path();
    return error ? std::string(file) : (folder / path.filename()).string();
}

}  // namespace jitune::internal::sqlite
