#include "backend/host/host_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune {

namespace {

/// The number behind `key` in a text of "key number" lines; the text's only number for an empty
/// key.
std::optional<std::size_t> number_in(const char* path, const std::string& key) {
    std::ifstream file(path);
    std::string word;
    std::size_t number = 0;
    while (!key.empty() && file >> word && word != key) {
    }
    return file >> number ? std::optional(number) : std::nullopt;
}

/// Bytes that can still be used without the system ending the process: malloc promises more.
std::size_t available_bytes() {
    std::size_t available = std::numeric_limits<std::size_t>::max();
    if (const auto kib = number_in("/proc/meminfo", "MemAvailable:")) {
        available = *kib * 1024;
    }
    const auto limit = number_in("/sys/fs/cgroup/memory.max", "");
    const auto used = number_in("/sys/fs/cgroup/memory.current", "");
    if (limit && used) {
        available = std::min(available, *limit - std::min(*limit, *used));
    }
    return available;
}

}  // namespace

void HostMemory::Free::operator()(void* data) const noexcept {
    std::free(data);
}

HostMemory::HostMemory(std::size_t bytes, Content content) : bytes_(bytes) {
    constexpr std::size_t kAlignment = 256;
    constexpr std::size_t kWorthAsking = std::size_t{64} << 20;
    if (bytes >= kWorthAsking && bytes > available_bytes()) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("allocate {} bytes of host memory: {} are available", bytes,
                                available_bytes()));
    }
    void* data = nullptr;
    if (::posix_memalign(&data, kAlignment, bytes > 0 ? bytes : 1) != 0) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("allocate {} bytes of host memory: out of memory", bytes));
    }
    data_.reset(data);
    if (content == Content::zero) {
        std::memset(data, 0, bytes);
    }
}

}  // namespace jitune
