// SPDX-License-Identifier: Apache-2.0
#include "plan/shared_folder.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/folder_reader.hpp"
#include "support/thread_signals.hpp"

namespace jitune::internal {

std::string random_name() {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number) {
        throw_system_error(ErrorKind::unavailable, "no random number", errno);
    }
    return fmt::format("{:016x}", number);
}

namespace {

constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;

std::int64_t nanoseconds(const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

[[noreturn]] void refuse_path(const std::filesystem::path& path, const std::string& why,
                              NativeCode code = {}) {
    throw Error(ErrorKind::store, fmt::format("folder of the plan {}: {}", path.string(), why),
                code);
}

bool is_safe(const struct stat& status) {
    return (status.st_uid == ::geteuid() || status.st_uid == 0) &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// At most `most` bytes of a file; nothing where they cannot be read.
std::optional<std::string> read_all(int file, std::size_t most) {
    std::string bytes;
    std::array<char, std::size_t{1} << 16> block{};
    for (;;) {
        const ssize_t size = ::read(file, block.data(), block.size());
        if (size < 0 && errno != EINTR) {
            return std::nullopt;
        }
        bytes.append(block.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        if (size == 0 || bytes.size() >= most) {
            bytes.resize(std::min(bytes.size(), most));
            return bytes;
        }
    }
}

/// False, with errno, if they cannot be written.
bool write_all(int file, std::string_view bytes) {
    const FileSizeGuard guard;
    while (!bytes.empty()) {
        const ssize_t size = ::write(file, bytes.data(), bytes.size());
        if (size < 0 && errno != EINTR) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    }
    return true;
}

}  // namespace

SharedFolder::SharedFolder(FileDescriptor folder, std::filesystem::path path)
    : folder_(std::move(folder)), path_(std::move(path)) {
    struct stat status {};
    if (::fstat(folder_.number(), &status) != 0) {
        refuse("stat", errno);
    }
    if (!is_safe(status)) {
        refuse_path(path_,
                    "it belongs to another user, or others may write to it: use a folder of "
                    "your own, with mode 0700");
    }
}

void SharedFolder::refuse(const std::string& call, int error) const {
    refuse_path(path_, fmt::format("{}: {}", call, std::generic_category().message(error)),
                {NativeCode::Source::system, error});
}

SharedFolder SharedFolder::open(const std::filesystem::path& path) {
    FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.number() < 0) {
        const int code = errno;
        refuse_path(path, fmt::format("open: {}", std::generic_category().message(code)),
                    {NativeCode::Source::system, code});
    }
    return {std::move(folder), path};
}

std::optional<SharedFolder> SharedFolder::find(const std::string& name) const {
    FileDescriptor folder(
        ::openat(folder_.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (folder.number() < 0) {
        if (errno == ENOENT) {
            return std::nullopt;
        }
        refuse(name, errno);
    }
    return SharedFolder(std::move(folder), path_ / name);
}

bool SharedFolder::make_new(const std::string& name) const {
    if (::mkdirat(folder_.number(), name.c_str(), 0700) == 0) {
        return true;
    }
    if (errno != EEXIST) {
        refuse("make the folder " + name, errno);
    }
    return false;
}

SharedFolder SharedFolder::make(const std::string& name) const {
    std::optional<SharedFolder> folder = find(name);
    if (!folder) {
        static_cast<void>(make_new(name));
        folder = find(name);
    }
    if (!folder) {
        refuse(name, ENOENT);
    }
    return std::move(*folder);
}

std::vector<std::string> SharedFolder::names() const {
    FolderReader reader(folder_.number(), ".");
    if (!reader.is_open()) {
        refuse("list", errno);
    }
    std::vector<std::string> names;
    while (const char* const name = reader.next()) {
        names.emplace_back(name);
    }
    return names;
}

void SharedFolder::touch(const std::string& name) const {
    const FileDescriptor file(
        ::openat(folder_.number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.number() < 0 && errno != EEXIST) {
        refuse("make " + name, errno);
    }
}

void SharedFolder::touch_twin(const std::string& first, const std::string& name) const {
    if (::linkat(folder_.number(), first.c_str(), folder_.number(), name.c_str(), 0) != 0) {
        touch(name);
    }
}

bool SharedFolder::beat(const std::string& name) const {
    if (::utimensat(folder_.number(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0) {
        return true;
    }
    if (errno != ENOENT && errno != ESTALE) {
        refuse("set the times of " + name, errno);
    }
    return false;
}

std::optional<std::int64_t> SharedFolder::changed_ns(const std::string& name) const {
    struct stat status {};
    if (::fstatat(folder_.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT && errno != ESTALE) {
            refuse("stat " + name, errno);
        }
        return std::nullopt;
    }
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        return std::nullopt;
    }
    return std::max(nanoseconds(status.st_mtim), nanoseconds(status.st_ctim));
}

bool SharedFolder::rename(const std::string& from, const std::string& to) const {
    const bool renamed =
        ::renameat(folder_.number(), from.c_str(), folder_.number(), to.c_str()) == 0;
    const int error = errno;
    if (has(to)) {
        return true;
    }
    if (!renamed && error != ENOENT && error != ESTALE) {
        refuse("rename " + from, error);
    }
    return false;
}

bool SharedFolder::give(const std::string& from, const SharedFolder& into,
                        const std::string& to) const {
    if (::renameat(folder_.number(), from.c_str(), into.folder_.number(), to.c_str()) == 0) {
        return true;
    }
    const int error = errno;
    if (into.has(to) && !has(from)) {  // the answer was lost
        return true;
    }
    if (!into.has(to)) {
        refuse(fmt::format("rename {} to {}", from, (into.path() / to).string()), error);
    }
    return false;
}

void SharedFolder::remove(const std::string& name) const {
    if (::unlinkat(folder_.number(), name.c_str(), 0) != 0 && errno != ENOENT && errno != ESTALE) {
        refuse("remove " + name, errno);
    }
}

void SharedFolder::remove_tree(const std::string& name) const {
    internal::remove_tree(path_ / name);
}

// Only a file whose name has come last is found by others, and its bytes are on the disk by then.
// A server tells of a full disk as late as in fsync() or close().
void SharedFolder::deliver_text(const std::string& text, const SharedFolder& part,
                                const std::string& name) const {
    const std::string unfinished = random_name();
    const int file = ::openat(part.folder_.number(), unfinished.c_str(),
                              O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        part.refuse("make a file for " + name, errno);
    }
    int error = write_all(file, text) && ::fsync(file) == 0 ? 0 : errno;
    if (::close(file) != 0 && error == 0) {
        error = errno;
    }
    if (error != 0) {
        ::unlinkat(part.folder_.number(), unfinished.c_str(), 0);
        part.refuse("write " + name + " to the disk", error);
    }
    if (!part.give(unfinished, *this, name) || part.has(unfinished)) {
        ::unlinkat(part.folder_.number(), unfinished.c_str(), 0);
        refuse("name " + name, EEXIST);
    }
    if (::fsync(folder_.number()) != 0 && errno != EINVAL) {  // not every system has it for folders
        refuse("fsync", errno);
    }
}

void SharedFolder::deliver(const std::filesystem::path& file, const SharedFolder& part,
                           const std::string& name) const {
    const FileDescriptor source(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    const auto bytes =
        source.number() < 0 ? std::nullopt : read_all(source.number(), std::string::npos);
    if (!bytes) {
        refuse("read " + file.string(), errno);
    }
    deliver_text(*bytes, part, name);
}

bool SharedFolder::fetch(const std::string& name, const std::filesystem::path& to) const {
    const auto bytes = text(name, kMostFileBytes);
    if (!bytes) {
        return false;
    }
    const FileDescriptor copy(
        ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (copy.number() < 0 || !write_all(copy.number(), *bytes)) {
        refuse("write " + to.string(), errno);
    }
    return true;
}

std::optional<std::string> SharedFolder::text(const std::string& name, std::size_t most) const {
    const FileDescriptor file(
        ::openat(folder_.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    const bool is_good = file.number() >= 0 && ::fstat(file.number(), &status) == 0 &&
                         S_ISREG(status.st_mode) && is_safe(status) &&
                         status.st_size <= static_cast<off_t>(kMostFileBytes);
    return is_good ? read_all(file.number(), most) : std::nullopt;
}

FileClock::FileClock(const SharedFolder& folder, std::string name, const TimeSource& source)
    : folder_(folder), source_(source), name_(std::move(name)) {
    read();
}

FileClock::~FileClock() {
    try {
        folder_.remove(name_);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the folder has gone
    }
}

std::int64_t FileClock::read() {
    folder_.touch(name_);  // others may have removed it
    static_cast<void>(folder_.beat(name_));
    if (const auto changed_ns = folder_.changed_ns(name_)) {
        read_ns_ = *changed_ns;
        read_at_ = source_.now();
    }
    return read_ns_;
}

std::int64_t FileClock::seconds() const {
    using std::chrono::nanoseconds;
    const nanoseconds passed = source_.now() - read_at_;
    return (read_ns_ + passed.count()) / 1'000'000'000;
}

}  // namespace jitune::internal
