// SPDX-License-Identifier: Apache-2.0
#include "support/mapped_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

[[noreturn]] void fail(const std::filesystem::path& path, const char* call, int error) {
    throw Error(
        ErrorKind::usage,
        fmt::format("cannot read \"{}\": {}: {}", path.string(), call, std::strerror(error)),
        {NativeCode::Source::system, error});
}

}  // namespace

void MappedFile::Unmapper::operator()(const std::byte* data) const noexcept {
    ::munmap(const_cast<std::byte*>(data), size);
}

MappedFile::MappedFile(const std::filesystem::path& path) {
    // O_NONBLOCK: opening a FIFO must not wait for a writer before it can be refused.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number() < 0) {
        fail(path, "open", errno);
    }
    struct stat status {};
    if (::fstat(file.number(), &status) != 0) {
        fail(path, "fstat", errno);
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
        fail(path, "mmap", errno);
    }
    data_ = {static_cast<const std::byte*>(data), Unmapper{size}};
}

}  // namespace jitune::internal
