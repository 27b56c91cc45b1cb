// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/file_system.hpp"

#include <array>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

struct Known {
    std::uint32_t magic;
    const char* name;
    bool local;
};

// The numbers are those of statfs(2). File systems that are not local are listed too, so that
// messages can name them.
constexpr std::array kKnown{
    Known{0x0000EF53, "ext4", true},     Known{0x58465342, "xfs", true},
    Known{0x9123683E, "btrfs", true},    Known{0x01021994, "tmpfs", true},
    Known{0xF2F52010, "f2fs", true},     Known{0x2FC12FC1, "zfs", true},
    Known{0xCA451A4E, "bcachefs", true}, Known{0x794C7630, "overlayfs", true},
    Known{0x00006969, "nfs", false},     Known{0x0BD00BD0, "lustre", false},
    Known{0x00C36400, "ceph", false},    Known{0x47504653, "gpfs", false},
    Known{0x19830326, "beegfs", false},  Known{0x65735546, "fuse", false},
    Known{0x01021997, "9p", false},      Known{0xFF534D42, "cifs", false},
    Known{0xFE534D42, "smb2", false},    Known{0x0000517B, "smb", false},
    Known{0x6B414653, "afs", false},     Known{0x5346414F, "openafs", false},
    Known{0x73757245, "coda", false},    Known{0x7461636F, "ocfs2", false},
    Known{0x01161970, "gfs2", false},
};

}  // namespace

FileSystem file_system(std::uint32_t magic) {
    for (const Known& known : kKnown) {
        if (known.magic == magic) {
            return {known.name, known.local};
        }
    }
    return {fmt::format("file system {:#x}", magic), false};
}

}  // namespace jitune::internal
