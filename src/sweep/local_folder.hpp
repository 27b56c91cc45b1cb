// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace jitune::internal {

/// The folder of a task on the disk of its machine, which only this user may enter: under
/// $SLURM_TMPDIR, else $TMPDIR, else /tmp. If the task has died, another task finds the folder by
/// the task's name.
class LocalFolder {
public:
    /// Makes it. Throws Error(unavailable).
    LocalFolder(const std::string& plan, const std::string& task);
    /// Removes it with all that is in it, unless it is kept.
    ~LocalFolder();
    LocalFolder(const LocalFolder&) = delete;
    LocalFolder& operator=(const LocalFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path database() const { return path_ / kDatabase; }
    static constexpr const char* kDatabase = "tuning.db";

    /// Keeps the folder, because its content could not be delivered.
    void keep() { keep_ = true; }

    /// Calls `use` with the database of a task of this machine that has ended, then removes the
    /// folder. Does nothing if there is no such folder.
    static void rescue(const std::string& plan, const std::string& task,
                       const std::function<void(const std::filesystem::path& database)>& use);

    /// Removes the folders of tasks of this machine that have ended. Call it only if no ended task
    /// of this machine has a claim of the plan.
    static void remove_abandoned(const std::string& plan);

private:
    std::filesystem::path path_;
    bool keep_ = false;
};

}  // namespace jitune::internal
