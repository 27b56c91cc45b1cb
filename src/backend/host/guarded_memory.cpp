// SPDX-License-Identifier: Apache-2.0
#include "backend/host/guarded_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "backend/host/available_memory.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kAlignment = 256;

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

std::byte* map(std::size_t bytes) {
    void* const mapping =
        ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        const int code = errno;
        throw Error(ErrorKind::unavailable,
                    fmt::format("allocate {} bytes of host memory: mmap: {}", bytes,
                                std::system_category().message(code)),
                    {NativeCode::Source::system, code});
    }
    return static_cast<std::byte*>(mapping);
}

}  // namespace

GuardedMemory::GuardedMemory(std::size_t bytes) : bytes_(bytes) {
    refuse_unavailable_memory(bytes);
    const std::size_t inner = round_up(round_up(bytes > 0 ? bytes : 1, kAlignment), page_bytes());
    mapped_bytes_ = inner + 2 * page_bytes();
    mapping_ = map(mapped_bytes_);
    if (::mprotect(mapping_ + page_bytes(), inner, PROT_READ | PROT_WRITE) != 0) {
        const int code = errno;
        ::munmap(mapping_, mapped_bytes_);
        throw Error(ErrorKind::unavailable,
                    fmt::format("allocate {} bytes of host memory: mprotect: {}", bytes,
                                std::system_category().message(code)),
                    {NativeCode::Source::system, code});
    }
    data_ = mapping_ + page_bytes() + inner - round_up(bytes > 0 ? bytes : 1, kAlignment);
}

GuardedMemory::~GuardedMemory() {
    ::munmap(mapping_, mapped_bytes_);
}

}  // namespace jitune::internal
