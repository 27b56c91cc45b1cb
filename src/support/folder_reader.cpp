// SPDX-License-Identifier: Apache-2.0
#include "support/folder_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace jitune::internal {

namespace {

/// Follows no link, so that nobody can lead it out of the tree. `depth` is bounded, because each
/// level takes a file descriptor and a part of the stack.
bool remove_at(int parent, const char* name, int depth) noexcept {
    constexpr int kDeepest = 512;
    if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) {
        return true;
    }
    if (errno != EISDIR || depth == kDeepest) {
        return false;
    }
    for (FolderReader folder(parent, name); const char* const entry = folder.next();) {
        remove_at(folder.number(), entry, depth + 1);
    }
    return ::unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

}  // namespace

FolderReader::FolderReader(const char* folder) noexcept : folder_(::opendir(folder)) {}

FolderReader::FolderReader(int parent, const char* name) noexcept {
    const int file = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    folder_.reset(file < 0 ? nullptr : ::fdopendir(file));
    if (file >= 0 && folder_ == nullptr) {
        ::close(file);
    }
}

const char* FolderReader::next() noexcept {
    while (const dirent* entry = folder_ != nullptr ? ::readdir(folder_.get()) : nullptr) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") {
            return entry->d_name;
        }
    }
    return nullptr;
}

bool remove_tree(const std::filesystem::path& path) noexcept {
    return remove_at(AT_FDCWD, path.c_str(), 0);
}

}  // namespace jitune::internal
