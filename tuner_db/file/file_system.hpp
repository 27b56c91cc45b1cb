// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace jitune::internal {

/// The file system of a database file: decides whether its locks can be trusted.
struct FileSystem {
    std::string name;    ///< "ext4", "nfs", or the magic number in hexadecimal
    bool local = false;  ///< known to keep shared memory and locks on one machine
};

/// Looks up `magic`, statfs's `f_type`. A file system that is not in the table is not local.
FileSystem file_system(std::uint32_t magic);

}  // namespace jitune::internal
