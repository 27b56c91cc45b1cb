// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace jitune::internal {

/// The folder of a task on the disk of its machine, which only this user may enter: under
/// $SLURM_TMPDIR, else $TMPDIR, else /tmp. Another task finds it by the task's name where the task
/// has died.
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

    /// It stays, since what is in it could not be delivered.
    void keep() { keep_ = true; }

    /// Lets `use` have the database of a task of this machine that has ended, and removes the
    /// folder after that; nothing if there is none.
    static void rescue(const std::string& plan, const std::string& task,
                       const std::function<void(const std::filesystem::path& database)>& use);

    /// Removes the folders of tasks of this machine that have ended. For a plan of which no task of
    /// this machine that has ended has a claim.
    static void remove_abandoned(const std::string& plan);

private:
    std::filesystem::path path_;
    bool keep_ = false;
};

}  // namespace jitune::internal
