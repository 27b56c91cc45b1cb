// SPDX-License-Identifier: Apache-2.0
#include "support/file_facts.hpp"

#include <dlfcn.h>
#include <grp.h>
#include <link.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace jitune::internal {
namespace {

/// Whoever has the root folder can change everything: root, whom a container may show as another.
bool is_of_another(const struct stat& status) {
    struct stat root {};
    return status.st_uid != 0 && status.st_uid != ::geteuid() &&
           (::stat("/", &root) != 0 || status.st_uid != root.st_uid);
}

/// Many systems give each user a group of the same name, and let it write what the user makes.
bool is_users_own_group(gid_t group, uid_t user) {
    std::array<char, 16'384> of_group{};
    std::array<char, 16'384> of_user{};
    struct group group_entry {};
    struct passwd user_entry {};
    struct group* found_group = nullptr;
    struct passwd* found_user = nullptr;
    return ::getgrgid_r(group, &group_entry, of_group.data(), of_group.size(), &found_group) == 0 &&
           found_group != nullptr &&
           ::getpwuid_r(user, &user_entry, of_user.data(), of_user.size(), &found_user) == 0 &&
           found_user != nullptr && user_entry.pw_gid == group &&
           std::string_view(group_entry.gr_name) == user_entry.pw_name &&
           (*group_entry.gr_mem == nullptr ||
            (std::string_view(*group_entry.gr_mem) == user_entry.pw_name &&
             group_entry.gr_mem[1] == nullptr));
}

bool others_write(const struct stat& status) {
    return (status.st_mode & S_IWOTH) != 0 ||
           ((status.st_mode & S_IWGRP) != 0 && !is_users_own_group(status.st_gid, status.st_uid));
}

}  // namespace

std::filesystem::path own_file() {
    Dl_info info{};
    void* extra = nullptr;
    const auto* const here = reinterpret_cast<const void*>(&own_file);
    if (::dladdr1(here, &info, &extra, RTLD_DL_LINKMAP) != 0) {
        const auto* const library = static_cast<const link_map*>(extra);
        if (*library->l_name != '\0') {  // the program itself has an empty name
            return library->l_name;
        }
    }
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error);
}

bool is_foreign(const std::filesystem::path& named) {
    struct stat status {};
    return ::stat(named.c_str(), &status) == 0 && (is_of_another(status) || others_write(status));
}

std::optional<std::filesystem::path> shared_folder_above(const std::filesystem::path& folder) {
    for (std::filesystem::path one = folder;; one = one.parent_path()) {
        struct stat status {};
        if (::stat(one.c_str(), &status) != 0 || is_of_another(status) ||
            (others_write(status) && (status.st_mode & S_ISVTX) == 0)) {
            return one;
        }
        if (one == one.parent_path()) {
            return std::nullopt;
        }
    }
}

std::string file_stamp(const std::filesystem::path& path) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(path, error);
    struct stat status {};
    if (error || ::stat(real.c_str(), &status) != 0) {
        return "";
    }
    return fmt::format("size={} mtime={}.{:09} file={}", std::int64_t{status.st_size},
                       std::int64_t{status.st_mtim.tv_sec}, std::int64_t{status.st_mtim.tv_nsec},
                       real.string());
}

}  // namespace jitune::internal
