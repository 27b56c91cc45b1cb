// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/file_descriptor.hpp"
#include "support/time_source.hpp"

namespace jitune::internal {

/// 16 hexadecimal digits that nobody else has drawn. Throws Error(unavailable).
std::string random_name();

/// A folder on a file system that machines may share. All names are relative to it, no link is
/// followed, and what it makes is this user's alone (0700, 0600). Functions throw Error(store) that
/// names the folder and the call. Thread-safe.
class SharedFolder {
public:
    /// Opens a folder that belongs to this user or root and that no other user can write.
    static SharedFolder open(const std::filesystem::path& path);

    /// The folder of that name in this one; nothing if there is none.
    [[nodiscard]] std::optional<SharedFolder> find(const std::string& name) const;
    /// The folder of that name in this one, which is made if there is none.
    [[nodiscard]] SharedFolder make(const std::string& name) const;
    /// Makes a folder; false if something has the name already.
    [[nodiscard]] bool make_new(const std::string& name) const;

    /// All names but "." and "..".
    [[nodiscard]] std::vector<std::string> names() const;
    /// Makes an empty file unless the name exists.
    void touch(const std::string& name) const;
    /// Makes one more name of an empty file instead of another file: on some systems this takes a
    /// tenth of the time. If the system has no such names, makes a file.
    void touch_twin(const std::string& first, const std::string& name) const;
    /// Sets a file's times to now, by the clock of the file server if it has one. False if
    /// there is no such file.
    [[nodiscard]] bool beat(const std::string& name) const;
    /// The later one of the times of the content and of the name of a regular file or a folder, in
    /// nanoseconds; nothing for anything else.
    [[nodiscard]] std::optional<std::int64_t> changed_ns(const std::string& name) const;
    [[nodiscard]] bool has(const std::string& name) const { return changed_ns(name).has_value(); }

    /// Renames, within this folder, a file to a name that nobody else uses. True if the file has
    /// the new name afterwards, whatever the call answered: an answer that was lost on the way
    /// makes a server's second try fail although the first was done. False if there was no file
    /// of the old name.
    [[nodiscard]] bool rename(const std::string& from, const std::string& to) const;
    /// Gives a file or a folder in this one a name in another. Returns false if the other folder
    /// has something of that name that a rename does not replace: a folder that is not empty, or
    /// one in place of a file.
    [[nodiscard]] bool give(const std::string& from, const SharedFolder& into,
                            const std::string& to) const;
    /// Removes a file, if there is one.
    void remove(const std::string& name) const;
    /// Removes a folder of this one with all that is in it, as far as it can.
    void remove_tree(const std::string& name) const;

    /// Writes a file that is complete and on the disk, under its name, when this returns. Until
    /// then it is in `part`, a folder of the same file system, under a name of its own. A file of
    /// the name is replaced.
    void deliver(const std::filesystem::path& file, const SharedFolder& part,
                 const std::string& name) const;
    void deliver_text(const std::string& text, const SharedFolder& part,
                      const std::string& name) const;
    /// Copies a file, which must be this user's or root's, writable by no other and of at most 1
    /// GiB. False if it is none of that.
    [[nodiscard]] bool fetch(const std::string& name, const std::filesystem::path& to) const;
    /// The text of such a file, at most `most` bytes of it; nothing if fetch() would be false.
    [[nodiscard]] std::optional<std::string> text(const std::string& name, std::size_t most) const;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    SharedFolder(FileDescriptor folder, std::filesystem::path path);
    [[noreturn]] void refuse(const std::string& call, int error) const;

    FileDescriptor folder_;
    std::filesystem::path path_;
};

/// The clock that the times of files in a folder come from: on NFS the server's, on a local file
/// system the machine's. The time of this process's own clock is never used, because it may be
/// wrong. Used by one thread.
class FileClock {
public:
    /// Makes a file of that name in `folder`, which must outlive the clock. The end of the clock
    /// removes the file.
    FileClock(const SharedFolder& folder, std::string name,
              const TimeSource& source = kMachineTime);
    ~FileClock();
    FileClock(const FileClock&) = delete;
    FileClock& operator=(const FileClock&) = delete;

    /// Nanoseconds since 1970, by writing the file. Throws Error(store).
    std::int64_t read();

    /// The time of the last read() and what has passed since, in seconds.
    [[nodiscard]] std::int64_t seconds() const;

private:
    const SharedFolder& folder_;
    const TimeSource& source_;
    std::string name_;
    std::int64_t read_ns_ = 0;
    TimeSource::Clock::time_point read_at_;
};

}  // namespace jitune::internal
