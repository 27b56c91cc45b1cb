// SPDX-License-Identifier: Apache-2.0
#include "sweep/local_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "plan/task_name.hpp"
#include "support/folder_reader.hpp"
#include "support/hash.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kTask = "task";  // a file with its name

std::filesystem::path base_folder() {
    std::filesystem::path base = "/tmp";
    for (const char* const variable : {"SLURM_TMPDIR", "TMPDIR"}) {
        const char* const named = std::getenv(variable);
        if (named != nullptr && ::access(named, W_OK | X_OK) == 0) {
            base = named;
            break;
        }
    }
    return base;
}

std::string prefix_of(const std::string& plan) {
    return fmt::format("jitune-work-{}-", plan);
}

std::filesystem::path path_for(const std::string& plan, const std::string& task) {
    return base_folder() / fmt::format("{}{:016x}", prefix_of(plan), quick_hash(task, 0));
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
    write_file(path_ / kTask, {task}, ErrorKind::unavailable);
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

void LocalFolder::remove_abandoned(const std::string& plan) {
    const std::filesystem::path base = base_folder();
    FolderReader entries(base.c_str());
    while (const char* const name = entries.next()) {
        const std::filesystem::path folder = base / name;
        if (std::string_view(name).starts_with(prefix_of(plan)) && is_own_folder(folder) &&
            has_task_ended(read_if_there(folder / kTask))) {
            remove_tree(folder);
        }
    }
}

}  // namespace jitune::internal
