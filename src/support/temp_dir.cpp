// SPDX-License-Identifier: Apache-2.0
#include "support/temp_dir.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/file_facts.hpp"
#include "support/folder_reader.hpp"
#include "support/hash.hpp"
#include "support/process_identity.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {

namespace {

bool stays_inside(const std::filesystem::path& path) {
    return !path.empty() && path.is_relative() && path.native().find('\0') == std::string::npos &&
           std::find(path.begin(), path.end(), "..") == path.end();
}

[[noreturn]] void refuse(const std::string& tried, std::error_code error, const char* advice) {
    throw Error(ErrorKind::unavailable,
                fmt::format("cannot {}: {}; {}", tried, error.message(), advice),
                {NativeCode::Source::system, error.value()});
}

/// $TMPDIR, unless it is empty or others may put folders of their own in the place of this user's.
std::filesystem::path folder_for_all() {
    constexpr const char* kUsual = "/tmp";
    const char* const named = ::secure_getenv("TMPDIR");
    if (named == nullptr || *named == '\0') {
        return kUsual;
    }
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::canonical(named, error);
    if (error || !std::filesystem::is_directory(folder, error)) {
        refuse(fmt::format("find the temporary folder {}", named),
               error ? error : std::make_error_code(std::errc::not_a_directory),
               "set TMPDIR to a folder that exists");
    }
    return shared_folder_above(folder) ? kUsual : folder;
}

/// The part of a process_identity() that says where the process runs.
std::string place_of(const std::string& identity) {
    return identity.substr(0, identity.find(" pid="));
}

std::string prefix_of_place(const std::string& place) {
    return fmt::format("jitune-{:016x}-", quick_hash(place, 0));
}

/// Others may have put anything into a folder that is not this user's alone.
bool is_own(const std::filesystem::path& folder) {
    struct stat status {};
    return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == ::geteuid() && (status.st_mode & 0777U) == 0700U;
}

/// The owner of a directory of that name is a process of this `place` that has ended.
bool is_abandoned(const std::string& name, const std::string& place) {
    const std::string prefix = prefix_of_place(place);
    if (!name.starts_with(prefix)) {
        return false;
    }
    const std::string owner = name.substr(prefix.size(), name.rfind('-') - prefix.size());
    const std::size_t dash = owner.find('-');
    return dash != std::string::npos &&
           has_ended(fmt::format("{} pid={} start={}", place, owner.substr(0, dash),
                                 owner.substr(dash + 1)));
}

}  // namespace

std::string TempDir::prefix_of(const std::string& identity) {
    const std::string place = place_of(identity);
    constexpr std::string_view kStart = " start=";
    const std::string owner = identity.substr(std::min(identity.size(), place.size() + 5));
    const std::size_t start = std::min(owner.find(kStart), owner.size());
    const std::size_t begin = std::min(start + kStart.size(), owner.size());
    return fmt::format("{}{}-{}-", prefix_of_place(place), owner.substr(0, start),
                       owner.substr(begin));
}

void TempDir::remove_abandoned(const std::filesystem::path& folder) noexcept {
    try {
        const std::string place = place_of(process_identity());
        FolderReader entries(folder.c_str());
        while (const char* const name = entries.next()) {
            if (is_abandoned(name, place) && is_own(folder / name)) {
                remove_tree(folder / name);  // another process may be removing the same
            }
        }
    } catch (const std::exception&) {  // no memory: the next process tries again
    }
}

TempDir::TempDir() {
    const std::filesystem::path base = folder_for_all();
    [[maybe_unused]] static const bool cleaned = (remove_abandoned(base), true);
    std::string name = base / (prefix_of(process_identity()) + "XXXXXX");
    if (::mkdtemp(name.data()) == nullptr) {
        refuse("make a temporary folder: mkdtemp " + name, {errno, std::system_category()},
               "set TMPDIR to a writable folder");
    }
    path_ = name;
}

TempDir::~TempDir() {
    // Files may stay after two tries, for example without memory: a later process removes them.
    if (!remove_tree(path_)) {
        remove_tree(path_);
    }
}

std::filesystem::path TempDir::write(std::string_view name, std::string_view text) const {
    const std::filesystem::path relative(name);
    if (!stays_inside(relative)) {
        throw Error(ErrorKind::usage,
                    fmt::format("file name \"{}\": use a relative name without \"..\"", name));
    }
    const auto path = path_ / relative;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    write_file(path, {text}, ErrorKind::unavailable);
    return path;
}

}  // namespace jitune::internal
