// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>

#include <filesystem>
#include <memory>

namespace jitune::internal {

/// Reads the names in a folder, one after the other. None of this throws or needs memory of C++:
/// the iterators of libstdc++, and its remove_all(), end the process if there is no memory.
class FolderReader {
public:
    /// A folder that cannot be opened has no names.
    explicit FolderReader(const char* folder) noexcept;

    /// The folder of that name in the folder with that descriptor. Follows no link.
    FolderReader(int parent, const char* name) noexcept;

    [[nodiscard]] bool is_open() const noexcept { return folder_ != nullptr; }
    /// The descriptor of an open folder.
    [[nodiscard]] int number() const noexcept { return ::dirfd(folder_.get()); }

    /// Returns the next name except "." and "..", valid until the next call; null at the end.
    const char* next() noexcept;

private:
    struct Closer {
        void operator()(DIR* folder) const noexcept { ::closedir(folder); }
    };

    std::unique_ptr<DIR, Closer> folder_;
};

/// Removes a file, a link, or a folder with all that is in it, as far as it can. Returns whether
/// nothing is left.
bool remove_tree(const std::filesystem::path& path) noexcept;

}  // namespace jitune::internal
