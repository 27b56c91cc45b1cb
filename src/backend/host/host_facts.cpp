// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_facts.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "backend/host/processor_use.hpp"
#include "support/hash.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {

namespace {

std::int64_t cores_by_affinity() {
    const auto usable = std::ssize(usable_processors());
    return usable > 0 ? usable : ::sysconf(_SC_NPROCESSORS_ONLN);
}

/// CPU time per time that the container may use, rounded up, where a limit is set.
std::optional<std::int64_t> cores_by_quota() {
    std::int64_t quota = 0, period = 0;
    if (!(std::istringstream(read_if_there("/sys/fs/cgroup/cpu.max")) >> quota >> period)) {
        std::istringstream(read_if_there("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")) >> quota;
        std::istringstream(read_if_there("/sys/fs/cgroup/cpu/cpu.cfs_period_us")) >> period;
    }
    if (quota <= 0 || period <= 0) {
        return std::nullopt;
    }
    return (quota + period - 1) / period;
}

std::int64_t last_level_cache() {
    constexpr std::int64_t kDefault = 32 << 20;
    std::int64_t largest = 0;
    for (int index = 0; index < 8; ++index) {
        const std::filesystem::path cache =
            fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}", index);
        std::int64_t kib = 0;
        if (std::istringstream(read_if_there(cache / "size")) >> kib &&
            !read_if_there(cache / "type").starts_with("Instruction")) {
            largest = std::max(largest, kib * 1024);
        }
    }
    // sysconf adds up the caches of a socket, so it comes second.
    for (const int name : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
        largest = largest > 0 ? largest : ::sysconf(name);
    }
    return largest > 0 ? largest : kDefault;
}

/// The value of `key` for the first processor in /proc/cpuinfo; empty if it has none.
std::string cpu_field(const std::string& cpuinfo, std::string_view key) {
    std::istringstream lines(cpuinfo);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos || !line.starts_with(key) ||
            line.find_first_not_of(" \t", key.size()) != colon) {
            continue;
        }
        const std::size_t value = line.find_first_not_of(" \t", colon + 1);
        return value == std::string::npos ? "" : line.substr(value);
    }
    return "";
}

/// The fields joined by '/', without those that are missing.
std::string join_fields(const std::string& cpuinfo, std::initializer_list<const char*> keys) {
    std::string joined;
    for (const char* key : keys) {
        const std::string value = cpu_field(cpuinfo, key);
        joined += joined.empty() || value.empty() ? value : "/" + value;
    }
    std::replace(joined.begin(), joined.end(), ' ', '_');
    return joined;
}

/// x86 first, then what an Arm kernel writes.
std::string cpu_model(const std::string& cpuinfo) {
    const std::string x86 = join_fields(cpuinfo, {"vendor_id", "cpu family", "model", "stepping"});
    const std::string arm =
        join_fields(cpuinfo, {"CPU implementer", "CPU variant", "CPU part", "CPU revision"});
    return !x86.empty() ? x86 : !arm.empty() ? arm : "unknown";
}

struct InstructionSet {
    std::string_view flag;
    std::int64_t simd_bytes;
};
constexpr std::array kInstructionSets{
    InstructionSet{"avx512f", 64},
    InstructionSet{"avx2", 32},
    InstructionSet{"asimd", 16},
    InstructionSet{"sse2", 16},
};

}  // namespace

HostFacts this_host() {
    HostFacts facts;
    facts.cpuinfo = read_if_there("/proc/cpuinfo");
    const std::int64_t cores = cores_by_affinity();
    facts.cores = std::max<std::int64_t>(1, std::min(cores, cores_by_quota().value_or(cores)));
    facts.cache_bytes = last_level_cache();
    utsname name{};
    if (::uname(&name) == 0) {
        facts.kernel_release = fmt::format("{} {}", name.sysname, name.release);
    }
    return facts;
}

std::string missing_facts(const HostFacts& facts) {
    return facts.cpuinfo.empty() ? "cannot read /proc/cpuinfo: the host counts as a processor that "
                                   "is not known, and winners that were stored where /proc is "
                                   "mounted are not found here; mount /proc"
                                 : "";
}

DeviceInfo describe_host(const HostFacts& facts) {
    const std::string x86_flags = cpu_field(facts.cpuinfo, "flags");
    const std::string flags = x86_flags.empty() ? cpu_field(facts.cpuinfo, "Features") : x86_flags;
    std::string sets;
    std::int64_t simd_bytes = 16;
    for (const InstructionSet& set : kInstructionSets) {
        if (fmt::format(" {} ", flags).find(fmt::format(" {} ", set.flag)) != std::string::npos) {
            sets += sets.empty() ? "" : ",";
            sets += set.flag;
            simd_bytes = std::max(simd_bytes, set.simd_bytes);
        }
    }
    const std::string model = cpu_model(facts.cpuinfo);
    const std::string model_name = cpu_field(facts.cpuinfo, "model name");

    DeviceInfo info;
    info.platform = PlatformKind::host;
    info.id = to_string(info.platform);
    info.name = model_name.empty() ? model : model_name;
    info.driver = facts.kernel_release;
    info.device_class = fmt::format("host isa={} flags={} model={} cores={} cache={}",
                                    sets.empty() ? "unknown" : sets,
                                    hex(Hasher("cpu flags").text(flags).digest()).substr(0, 16),
                                    model, facts.cores, facts.cache_bytes);
    info.attributes = {
        {"cores", facts.cores}, {"cache_bytes", facts.cache_bytes}, {"simd_bytes", simd_bytes}};
    return info;
}

}  // namespace jitune::internal
