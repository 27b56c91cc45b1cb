// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/store_path.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/file_facts.hpp"

namespace jitune::internal {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(std::string_view path, std::string_view why, NativeCode code = {}) {
    throw Error(ErrorKind::store, fmt::format("tuning database {}: {}", path, why), code);
}

[[noreturn]] void refuse_call(std::string_view path, std::string_view call, int error) {
    refuse(path, fmt::format("{}: {}", call, std::generic_category().message(error)),
           {NativeCode::Source::system, error});
}

void make_directory(const fs::path& directory) {
    const auto exists = [&] { return mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST; };
    if (exists()) {
        return;
    }
    const fs::path parent = directory.parent_path();
    if (errno != ENOENT || parent == directory) {
        refuse_call(directory.native(), "mkdir", errno);
    }
    make_directory(parent);
    if (!exists()) {
        refuse_call(directory.native(), "mkdir", errno);
    }
}

fs::path resolve_directory(const fs::path& path, StorePath::IfMissing if_missing) {
    if (!path.has_filename() || path.native().find('\0') != std::string::npos) {
        refuse(path.native(), "the path does not name a file");
    }
    std::error_code error;
    const fs::path directory = fs::absolute(path, error).parent_path();
    if (error) {
        refuse_call(path.native(), "current directory", error.value());
    }
    if (if_missing == StorePath::IfMissing::create) {
        make_directory(directory);
    }
    fs::path resolved = fs::canonical(directory, error);
    if (error) {
        refuse_call(directory.native(), "realpath", error.value());
    }
    return resolved;
}

void check_owner_and_mode(const std::string& path, const struct stat& status) {
    const uid_t user = geteuid();
    if (status.st_uid != user && status.st_uid != 0) {
        refuse(path,
               fmt::format("it belongs to user {}, not to user {} or root: use a path of your own",
                           status.st_uid, user));
    }
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        const std::string advice = S_ISDIR(status.st_mode)
                                       ? "use a directory of your own, with mode 0700"
                                       : fmt::format("chmod go-w '{}'", path);
        refuse(path, fmt::format("its mode {:04o} lets other users write: {}",
                                 status.st_mode & 07777U, advice));
    }
}

}  // namespace

StorePath::StorePath(const fs::path& path, IfMissing if_missing)
    : StorePath(resolve_directory(path, if_missing), path.filename().native(), if_missing) {}

StorePath::StorePath(const fs::path& directory, std::string name, IfMissing if_missing)
    : if_missing_(if_missing),
      directory_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      file_((directory / name).native()),
      name_(std::move(name)) {
    struct stat status {};
    if (directory_.number() < 0 || fstat(directory_.number(), &status) != 0) {
        refuse_call(directory.native(), "open", errno);
    }
    check_owner_and_mode(directory.native(), status);
}

FileDescriptor StorePath::directory() const {
    // Opened anew: a copy of the descriptor would keep the lock of lock_directory().
    FileDescriptor again(openat(directory_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (again.number() < 0) {
        refuse_call(file_, "open", errno);
    }
    return again;
}

void StorePath::refuse_movable() const {
    const fs::path directory = fs::path(file_).parent_path();
    if (const auto shared = shared_folder_above(directory)) {
        refuse(file_, fmt::format("other users may rename what is in {}, and without /proc jitune "
                                  "cannot tell: use a path below folders that belong to you or "
                                  "root and that no other user can write, or mount /proc",
                                  shared->string()));
    }
}

FileSystem StorePath::file_system() const {
    struct statfs status {};
    if (fstatfs(directory_.number(), &status) != 0) {
        refuse_call(file_, "fstatfs", errno);
    }
    return internal::file_system(static_cast<std::uint32_t>(status.f_type));
}

StorePath::Identity StorePath::check_file() const {
    struct stat status {};
    int found = fstatat(directory_.number(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW);
    if (found != 0 && errno == ENOENT && if_missing_ == IfMissing::create) {
        // The lock keeps out a process that renames a file of this name: it would take the journals
        // of the new file along. mknod makes the file without opening it.
        lock_directory();
        if (mknodat(directory_.number(), name_.c_str(), S_IFREG | 0600, 0) != 0 &&
            errno != EEXIST) {
            refuse_call(file_, "create", errno);
        }
        found = fstatat(directory_.number(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW);
    }
    if (found != 0 && errno == ENOENT) {
        refuse(file_,
               "there is no such file: check the path; jitune sweep and calls that tune make it");
    }
    if (found != 0) {
        refuse_call(file_, "stat", errno);
    }
    if (!S_ISREG(status.st_mode)) {
        refuse(file_, S_ISLNK(status.st_mode) ? "it is a symlink: use the path it points to"
                                              : "it is not a regular file");
    }
    if (status.st_nlink != 1) {
        refuse(file_,
               "it has several hard links, which would share the file but not its journal: remove "
               "the others");
    }
    check_owner_and_mode(file_, status);
    for (const char* const suffix : {"-journal", "-wal", "-shm"}) {  // SQLite would wait for a pipe
        struct stat beside {};
        const std::string name = name_ + suffix;
        if (fstatat(directory_.number(), name.c_str(), &beside, AT_SYMLINK_NOFOLLOW) == 0 &&
            !S_ISREG(beside.st_mode)) {
            refuse(file_, name + " beside it is not a regular file: remove it");
        }
    }
    return {status.st_dev, status.st_ino};
}

std::string StorePath::first_free_name() const {
    for (int number = 1;; ++number) {
        std::string name = fmt::format("{}.bad-{}", name_, number);
        struct stat status {};
        if (fstatat(directory_.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
            return name;
        }
    }
}

// Closing the directory unlocks it. If it cannot be locked in time, identities alone decide: no
// process waits for one that was stopped.
void StorePath::lock_directory() const {
    constexpr int kTries = 100;
    constexpr std::chrono::milliseconds kPause{1};
    for (int i = 0; i < kTries && flock(directory_.number(), LOCK_EX | LOCK_NB) != 0; ++i) {
        std::this_thread::sleep_for(kPause);
    }
}

bool StorePath::is_replaced(const Identity& known) const {
    struct stat status {};
    return fstatat(directory_.number(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
           Identity{status.st_dev, status.st_ino} != known;
}

std::optional<std::string> StorePath::set_aside(const Identity& damaged) const {
    // Two processes may have found the damage: the second must not rename the new file of the
    // first.
    lock_directory();
    if (is_replaced(damaged)) {
        return std::nullopt;
    }
    const std::string aside = first_free_name();
    for (const std::string_view suffix : {"", "-journal", "-wal", "-shm"}) {
        const std::string from = name_ + std::string(suffix);
        const std::string to = aside + std::string(suffix);
        if (renameat(directory_.number(), from.c_str(), directory_.number(), to.c_str()) != 0 &&
            errno != ENOENT) {
            refuse_call(file_, "rename to " + to, errno);
        }
    }
    return aside;
}

bool may_write_beside(const std::filesystem::path& file) {
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    std::error_code ignored;  // what cannot be seen is tried to be opened, which says why
    return !std::filesystem::exists(file, ignored) ||
           faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0;
}

}  // namespace jitune::internal
