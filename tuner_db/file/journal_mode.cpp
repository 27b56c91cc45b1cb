// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/journal_mode.hpp"

#include <array>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

struct Known {
    std::uint32_t magic;
    const char* name;
    bool local;
};

// The numbers are those of statfs(2). File systems that are not local are listed for their names.
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

// 3.52.0 came before 3.51.3 and was withdrawn; the fix is in 3.51.3 and from 3.53.0 on.
constexpr bool has_wal_reset_fix(int version) {
    return version >= 3051003 && version / 1000 != 3052;
}

std::string version_text(int version) {
    return fmt::format("{}.{}.{}", version / 1000000, version / 1000 % 1000, version % 1000);
}

std::string request_wal(sqlite::Connection& connection) {
    try {
        return connection.text("PRAGMA journal_mode = WAL");
    } catch (const sqlite::Failure& failure) {
        if (failure.damaged()) {
            throw;
        }
        return failure.what();
    }
}

}  // namespace

FileSystem file_system(std::uint32_t magic) {
    for (const Known& known : kKnown) {
        if (known.magic == magic) {
            return {known.name, known.local};
        }
    }
    return {fmt::format("file system {:#x}", magic), false};
}

JournalMode choose_journal_mode(int sqlite_version, const FileSystem& file_system) {
    const std::string version = version_text(sqlite_version);
    if (!has_wal_reset_fix(sqlite_version)) {
        return {"delete", fmt::format("SQLite {} has the WAL-reset bug, fixed in 3.51.3", version)};
    }
    if (!file_system.local) {
        return {"delete", fmt::format("{} is not known to be local", file_system.name)};
    }
    return {"wal", fmt::format("SQLite {} on {}", version, file_system.name)};
}

JournalMode set_journal_mode(sqlite::Connection& connection, const JournalMode& chosen) {
    std::string reason = chosen.reason;
    if (chosen.name == "wal") {
        const std::string answer = request_wal(connection);
        if (answer == "wal") {
            connection.execute("PRAGMA synchronous = NORMAL");
            return chosen;
        }
        reason = fmt::format("asked for wal, SQLite answered: {}", answer);
    }
    const std::string answer = connection.text("PRAGMA journal_mode = DELETE");
    if (answer != "delete") {
        throw Error(
            ErrorKind::store,
            fmt::format("{}: the journal mode must be delete ({}), but SQLite answered \"{}\": "
                        "close the other programs that use the database",
                        connection.name(), reason, answer));
    }
    connection.execute("PRAGMA synchronous = FULL");
    return {"delete", reason};
}

}  // namespace jitune::internal
