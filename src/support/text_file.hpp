// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "jitune/error.hpp"

namespace jitune::internal {

/// The bytes of a regular file, mapped read-only. The file must not be shortened while it is
/// mapped.
class MappedFile {
public:
    /// Throws Error(usage): the file is missing, not readable or not a regular file.
    explicit MappedFile(const std::filesystem::path& path);

    [[nodiscard]] std::span<const std::byte> bytes() const {
        return {data_.get(), data_.get_deleter().size};
    }

private:
    struct Unmapper {
        std::size_t size;
        void operator()(const std::byte* data) const noexcept;
    };

    std::unique_ptr<const std::byte, Unmapper> data_;
};

/// The text of a source file. Throws Error(usage): the file is missing, not readable, not a regular
/// file, or longer than 16 MiB.
std::string read_text_file(const std::filesystem::path& path);

/// The bytes of a file, such as one of /proc; empty if the file is missing or this user may not
/// read it. Throws Error(unavailable) if memory, files or the disk fail.
std::string read_if_there(const std::filesystem::path& path);

/// Makes or replaces a file with the texts one after the other. Throws Error(kind) that says why it
/// cannot be written.
void write_file(const std::filesystem::path& path, std::initializer_list<std::string_view> texts,
                ErrorKind kind = ErrorKind::usage);

/// As write_file(), but a file of that name is either the old one or the new one as a whole,
/// whatever happens meanwhile. It keeps its permissions. It writes into a pipe or a device instead
/// of replacing it.
void replace_file(const std::filesystem::path& path, std::string_view text,
                  ErrorKind kind = ErrorKind::usage);

}  // namespace jitune::internal
