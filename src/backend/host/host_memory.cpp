// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;

/// The number in a file that holds nothing else; none for "max".
std::optional<std::size_t> number_in(const fs::path& path) {
    std::ifstream file(path);
    std::size_t number = 0;
    return file >> number ? std::optional(number) : std::nullopt;
}

/// The number behind `key` in a file of lines "key number …".
std::optional<std::size_t> number_behind(const fs::path& path, std::string_view key) {
    std::ifstream file(path);
    for (std::string word; file >> word;) {
        std::size_t number = 0;
        if (word == key && file >> number) {
            return number;
        }
    }
    return std::nullopt;
}

/// One version of control groups: where it is and what its files are called.
struct Hierarchy {
    std::string_view mark;  // in the process's line of /proc/self/cgroup, before the path
    const char* root;
    const char* limit;
    const char* usage;
    std::array<const char*, 2> caches;  // in memory.stat; can be dropped, unlike what a tmpfs holds
};
constexpr std::array kHierarchies{
    Hierarchy{
        "0::/", "/sys/fs/cgroup", "memory.max", "memory.current", {"inactive_file", "active_file"}},
    Hierarchy{":memory:/",
              "/sys/fs/cgroup/memory",
              "memory.limit_in_bytes",
              "memory.usage_in_bytes",
              {"total_inactive_file", "total_active_file"}},
};

std::optional<std::size_t> left_in_group(const Hierarchy& hierarchy, const fs::path& group) {
    const fs::path folder = hierarchy.root / group;
    const auto limit = number_in(folder / hierarchy.limit);
    const auto used = number_in(folder / hierarchy.usage);
    if (!limit || !used) {
        return std::nullopt;
    }
    std::size_t cached = 0;
    for (const char* cache : hierarchy.caches) {
        cached += number_behind(folder / "memory.stat", cache).value_or(0);
    }
    return *limit - std::min(*limit, *used - std::min(*used, cached));
}

/// The path of the process's group below the root of the hierarchy; empty for the root.
fs::path own_group(const Hierarchy& hierarchy) {
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        if (const std::size_t mark = line.find(hierarchy.mark); mark != std::string::npos) {
            return line.substr(mark + hierarchy.mark.size());
        }
    }
    return {};
}

std::size_t left_in_groups(const Hierarchy& hierarchy) {
    std::size_t left = std::numeric_limits<std::size_t>::max();
    for (fs::path group = own_group(hierarchy);; group = group.parent_path()) {
        left = std::min(left, left_in_group(hierarchy, group).value_or(left));
        if (group.empty()) {
            return left;
        }
    }
}

}  // namespace

std::size_t available_memory() {
    std::size_t available = std::numeric_limits<std::size_t>::max();
    if (const auto kib = number_behind("/proc/meminfo", "MemAvailable:")) {
        available = *kib * 1024;
    }
    for (const Hierarchy& hierarchy : kHierarchies) {
        available = std::min(available, left_in_groups(hierarchy));
    }
    return available;
}

void refuse_unavailable_memory(std::size_t bytes) {
    constexpr std::size_t kWorthAsking = std::size_t{64} << 20;
    if (bytes < kWorthAsking) {
        return;
    }
    if (const std::size_t available = available_memory(); bytes > available) {
        throw Error(
            ErrorKind::unavailable,
            fmt::format("allocate {} bytes of host memory: {} are available", bytes, available));
    }
}

void HostMemory::Free::operator()(void* data) const noexcept {
    std::free(data);
}

HostMemory::HostMemory(std::size_t bytes, Content content) : bytes_(bytes) {
    constexpr std::size_t kAlignment = 256;
    refuse_unavailable_memory(bytes);
    void* data = nullptr;
    if (const int code = ::posix_memalign(&data, kAlignment, bytes > 0 ? bytes : 1); code != 0) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("allocate {} bytes of host memory: out of memory", bytes),
                    {NativeCode::Source::system, code});
    }
    data_.reset(data);
    if (content == Content::zero) {
        std::memset(data, 0, bytes);
    }
}

}  // namespace jitune::internal
