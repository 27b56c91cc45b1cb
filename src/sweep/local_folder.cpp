// SPDX-License-Identifier: Apache-2.0
#include "sweep/local_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "plan/task_name.hpp"
#include "support/folder_reader.hpp"
#include "support/hash.hpp"

namespace jitune::internal {

namespace {

std::filesystem::path path_for(const std::string& plan, const std::string& task) {
    std::filesystem::path base = "/tmp";
    for (const char* const variable : {"SLURM_TMPDIR", "TMPDIR"}) {
        const char* const named = std::getenv(variable);
        if (named != nullptr && ::access(named, W_OK | X_OK) == 0) {
            base = named;
            break;
        }
    }
    return base / fmt::format("jitune-work-{}-{:016x}", plan, quick_hash(task, 0));
}

/// Others may have put anything into a folder that all may write.
bool is_own_folder(const std::filesystem::path& folder) {
    struct stat status {};
    return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == ::geteuid() && (status.st_mode & 0777U) == 0700U;
}

}  // namespace

LocalFolder::LocalFolder(const std::string& plan, const std::string& task)
    : path_(path_for(plan, task)) {
    if (::mkdir(path_.c_str(), 0700) != 0) {
        const int code = errno;
        throw Error(ErrorKind::unavailable,
                    fmt::format("cannot make the folder {}: {}; set TMPDIR to a writable folder on "
                                "a disk of this machine",
                                path_.string(), std::generic_category().message(code)),
                    {NativeCode::Source::system, code});
    }
}

LocalFolder::~LocalFolder() {
    if (!keep_) {
        remove_tree(path_);
    }
}

void LocalFolder::rescue(const std::string& plan, const std::string& task,
                         const std::function<void(const std::filesystem::path& database)>& use) {
    const std::filesystem::path folder = path_for(plan, task);
    if (!has_task_ended(task) || !is_own_folder(folder)) {
        return;
    }
    std::error_code error;
    if (std::filesystem::exists(folder / kDatabase, error)) {
        use(folder / kDatabase);
    }
    remove_tree(folder);
}

}  // namespace jitune::internal
