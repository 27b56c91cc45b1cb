// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace jitune::internal {

/// Where a database file lives, as far as its locks are concerned.
struct FileSystem {
    std::string name;    ///< "ext4", "nfs", or the magic number in hexadecimal
    bool local = false;  ///< known to keep shared memory and locks on this machine
};

/// From statfs's `f_type`. A file system that is not in the table is not local.
FileSystem file_system(std::uint32_t magic);

}  // namespace jitune::internal
