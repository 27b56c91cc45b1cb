// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "plan/task_name.hpp"
#include "support/file_descriptor.hpp"
#include "support/hash.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kClasses = "classes";
constexpr const char* kUnfinished = "unfinished";
constexpr const char* kName = "class";
constexpr std::size_t kMostName = 4096;

std::string folder_name(const std::string& device_class) {
    return fmt::format("{:016x}", quick_hash(device_class, 0));
}

}  // namespace

PlanFolder PlanFolder::make(const std::filesystem::path& path) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
        const int code = errno;
        throw_system_error(ErrorKind::usage,
                           fmt::format("--plan {}: cannot make the folder", path.string()), code);
    }
    SharedFolder root = SharedFolder::open(path);
    // Of several commands at once, one makes this folder.
    if (!root.names().empty() || !root.make_new(kUnfinished)) {
        throw Error(ErrorKind::usage,
                    fmt::format("--plan {}: the folder is not empty: name a new one, or remove it "
                                "if the plan in it is not needed any more",
                                path.string()));
    }
    SharedFolder part = root.make(kUnfinished);
    static_cast<void>(root.make(kClasses));
    return {std::move(root), std::move(part)};
}

PlanFolder PlanFolder::open(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_directory(path / kUnfinished, error)) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} holds no plan: name the folder that \"jitune sweep KERNEL "
                                "--plan\" was given",
                                path.string()));
    }
    SharedFolder root = SharedFolder::open(path);
    SharedFolder part = root.make(kUnfinished);
    return {std::move(root), std::move(part)};
}

SharedFolder PlanFolder::of_class(const std::string& device_class) const {
    SharedFolder folder = root_.make(kClasses).make(folder_name(device_class));
    if (!folder.has(kName)) {
        folder.deliver_text(device_class, part_, kName);
    }
    return folder;
}

namespace {

/// Removes what dead tasks have left, or nobody has touched for an hour. A task makes a file that
/// it misses anew.
void clean_folder(const SharedFolder& folder) {
    constexpr std::int64_t kOld = 3'600'000'000'000;
    const std::string mine = "clean." + random_name();
    FileClock clock(folder, mine);
    for (const std::string& name : folder.names()) {
        const auto changed_ns = folder.changed_ns(name);
        bool has_ended = false;
        for (std::string_view task = name; !task.empty(); next_part(task)) {  // "shard.0017.<task>"
            has_ended = has_ended || has_task_ended(task);
        }
        if (name != mine && (has_ended || (changed_ns && clock.read() - *changed_ns > kOld))) {
            folder.remove_tree(name);
        }
    }
}

}  // namespace

void PlanFolder::clean() const {
    clean_folder(part_);
    for (const std::string& device_class : classes()) {
        clean_folder(of_class(device_class).make(kLives));
    }
}

std::vector<std::string> PlanFolder::classes() const {
    const SharedFolder all = root_.make(kClasses);
    std::vector<std::string> classes;
    for (const std::string& name : all.names()) {
        const auto folder = name.starts_with('.') ? std::nullopt : all.find(name);
        const auto text = folder ? folder->text(kName, kMostName) : std::nullopt;
        if (text && folder_name(*text) == name) {
            classes.push_back(*text);
        }
    }
    std::sort(classes.begin(), classes.end());
    return classes;
}

}  // namespace jitune::internal
