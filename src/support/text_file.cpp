// SPDX-License-Identifier: Apache-2.0
#include "support/text_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/file_descriptor.hpp"
#include "support/thread_signals.hpp"

namespace jitune::internal {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* call) {
    const int code = errno;
    throw_system_error(ErrorKind::usage, fmt::format("cannot read \"{}\": {}", path.string(), call),
                       code);
}

}  // namespace

void MappedFile::Unmapper::operator()(const std::byte* data) const noexcept {
    ::munmap(const_cast<std::byte*>(data), size);
}

MappedFile::MappedFile(const std::filesystem::path& path) {
    // O_NONBLOCK: opening a FIFO must not wait for a writer before it can be refused.
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number() < 0) {
        fail(path, "open");
    }
    struct stat status {};
    if (::fstat(file.number(), &status) != 0) {
        fail(path, "fstat");
    }
    if (!S_ISREG(status.st_mode)) {
        throw Error(ErrorKind::usage,
                    fmt::format("cannot read \"{}\": it is not a regular file", path.string()));
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) {
        return;
    }
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (data == MAP_FAILED) {
        fail(path, "mmap");
    }
    data_ = {static_cast<const std::byte*>(data), Unmapper{size}};
}

std::string read_text_file(const std::filesystem::path& path) {
    constexpr std::size_t kMost = std::size_t{16} << 20;
    const MappedFile file(path);
    const auto bytes = file.bytes();
    if (bytes.size() > kMost) {
        throw Error(ErrorKind::usage, fmt::format("cannot read \"{}\": it has {} bytes, and a "
                                                  "source file may have at most 16 MiB",
                                                  path.string(), bytes.size()));
    }
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string read_if_there(const std::filesystem::path& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    const auto lacks_something = [] {
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EIO;
    };
    bool failed = !file.is_open() && lacks_something();
    std::string bytes;
    std::array<char, 4096> buffer{};
    while (file) {
        file.read(buffer.data(), buffer.size());
        bytes.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
        failed = file.bad() && lacks_something();
    }
    if (failed) {
        const int code = errno;
        throw_system_error(ErrorKind::unavailable, fmt::format("cannot read \"{}\"", path.string()),
                           code);
    }
    return bytes;
}

void write_file(const std::filesystem::path& path, std::initializer_list<std::string_view> texts,
                ErrorKind kind) {
    const FileSizeGuard guard;
    errno = 0;
    std::ofstream file(path, std::ios::binary);
    for (const std::string_view text : texts) {
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
    }
    file.close();
    if (!file) {
        const int code = errno;
        throw_system_error(kind, fmt::format("cannot write \"{}\"", path.string()), code);
    }
}

void replace_file(const std::filesystem::path& path, std::string_view text, ErrorKind kind) {
    std::error_code unknown;
    const auto status = std::filesystem::status(path, unknown);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        write_file(path, {text}, kind);
        return;
    }
    // The file that a symlink names is replaced, not the symlink.
    const std::filesystem::path target = std::filesystem::weakly_canonical(path, unknown);
    const std::filesystem::path goal = unknown ? path : target;
    const std::filesystem::path fresh = goal.native() + ".new-" + std::to_string(::getpid());
    try {
        write_file(fresh, {text}, kind);
    } catch (...) {
        std::filesystem::remove(fresh, unknown);
        throw;
    }
    if (std::filesystem::is_regular_file(status)) {
        std::filesystem::permissions(fresh, status.permissions(), unknown);
    }
    std::error_code refused;
    std::filesystem::rename(fresh, goal, refused);
    if (refused) {
        std::filesystem::remove(fresh, unknown);
        throw_system_error(kind, fmt::format("cannot replace \"{}\"", path.string()),
                           refused.value());
    }
}

}  // namespace jitune::internal
