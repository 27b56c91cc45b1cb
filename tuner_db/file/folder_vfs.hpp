// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>

#include "support/file_descriptor.hpp"

namespace jitune::internal::sqlite {

/// Gives SQLite its usual access to files, for the databases of one folder. SQLite opens a
/// database, and later its journals, by their paths. This VFS leads the paths through an open
/// descriptor of the folder. So nobody who may rename the folder, or a folder above it, can put
/// another in its place. Must outlive its connections.
class FolderVfs {
public:
    /// Throws Failure if SQLite does not work.
    explicit FolderVfs(FileDescriptor folder);
    ~FolderVfs();
    FolderVfs(const FolderVfs&) = delete;
    FolderVfs& operator=(const FolderVfs&) = delete;

    /// True if paths can lead through descriptors, for which /proc is needed.
    [[nodiscard]] bool works() const;

    /// The name of this VFS for sqlite3_open_v2(), which then looks only at a path's last part, the
    /// name of a file in the folder.
    [[nodiscard]] const char* name() const { return name_.c_str(); }

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] sqlite3_vfs* usual() const { return usual_; }

    /// The path by which a person knows a file that a connection has open.
    static std::string shown(std::string_view file);

private:
    const FileDescriptor folder_;
    const std::string path_;  ///< of the folder, through its descriptor
    const std::string name_;
    sqlite3_vfs* const usual_;
    sqlite3_vfs vfs_{};
};

}  // namespace jitune::internal::sqlite
