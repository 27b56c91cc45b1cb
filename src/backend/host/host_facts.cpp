// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_facts.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "support/file_descriptor.hpp"
#include "support/folder_reader.hpp"
#include "support/hash.hpp"
#include "support/settings.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {
namespace {

std::int64_t cores_by_affinity() {
    const auto usable = std::ssize(usable_processors());
    return usable > 0 ? usable : ::sysconf(_SC_NPROCESSORS_ONLN);
}

/// CPU time per time that the container may use, rounded up, if a limit is set.
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
    // sysconf adds up the caches of a socket. An EPYC 9005 has 508 MiB, of which a core uses 32
    // (AMD's data sheets): to read twice the sum before each sample would take most of a tuning.
    for (const int name : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
        largest = largest > 0 ? largest : std::min(std::int64_t{::sysconf(name)}, kDefault);
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

/// Joins the fields that are there by '/'.
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

/// The time of some processors, all together, in ticks of the system's clock.
struct Ticks {
    long long busy = 0;
    long long total = 0;
};

/// The format is that of proc(5), /proc/stat: a line "cpu3 …" for each processor, whose fourth and
/// fifth number are idle times, and whose ninth and tenth are part of the first two.
Ticks ticks_of(const std::vector<int>& processors) {
    constexpr int kFields = 8;
    constexpr int kIdle = 3;
    constexpr int kWaitsForDisk = 4;
    Ticks sum;
    std::ifstream file("/proc/stat");
    for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
        int number = -1;
        std::from_chars(line.data() + 3, line.data() + line.size(), number);
        if (std::find(processors.begin(), processors.end(), number) == processors.end()) {
            continue;
        }
        std::istringstream fields(line);
        std::string name;
        fields >> name;
        long long ticks = 0;
        for (int i = 0; i < kFields && fields >> ticks; ++i) {
            sum.total += ticks;
            sum.busy += i == kIdle || i == kWaitsForDisk ? 0 : ticks;
        }
    }
    return sum;
}

/// The format is that of the kernel's Documentation/scheduler/sched-stats.rst: nanoseconds on a
/// processor, nanoseconds of waiting for one, and a number of time slices. Nothing if the thread
/// has just ended. Uses no C++ stream, which would take longer than the system's call.
std::optional<ProcessorUse> use_of_thread(int threads, const std::string& file) {
    const FileDescriptor descriptor(::openat(threads, file.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 128> text;
    const ssize_t size = ::read(descriptor.number(), text.data(), text.size());
    const char* const end = text.data() + std::max<ssize_t>(size, 0);
    long long ran = 0;
    long long waited = 0;
    const auto [space, error] = std::from_chars(text.data(), end, ran);
    if (error != std::errc() || space == end ||
        std::from_chars(space + 1, end, waited).ec != std::errc()) {
        return std::nullopt;
    }
    return ProcessorUse{std::chrono::nanoseconds(ran), std::chrono::nanoseconds(waited)};
}

/// The processor time of all threads of this process.
double own_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

using SpinClock = RecentLeast::Clock;

/// Six additions in each step need nothing of one another, so that the loop fills a core: what
/// another thread takes of its units makes it longer.
void spin() {
    constexpr int kSteps = 10'000;  // about 5 us: an interrupt seldom comes between
    std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
    for (int i = 0; i < kSteps; ++i) {
        ++a;
        ++b;
        ++c;
        ++d;
        ++e;
        ++f;
        asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    }
}

/// Seconds: the shorter of two times, since an interrupt may be in one.
double time_of_spin() {
    SpinClock::duration least = SpinClock::duration::max();
    for (int run = 0; run < 2; ++run) {
        const auto start = SpinClock::now();
        spin();
        least = std::min(least, SpinClock::now() - start);
    }
    return std::max(std::chrono::duration<double>(least).count(), 1e-9);
}

/// The shortest of many, for a beginning that may be busy.
double first_time() {
    constexpr int kTries = 30;
    double least = time_of_spin();
    for (int i = 1; i < kTries; ++i) {
        least = std::min(least, time_of_spin());
    }
    return least;
}

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

std::optional<DeviceInfo> host_of_class(const std::string& device_class) {
    const auto cores = number_of(device_class, "cores");
    const auto cache_bytes = number_of(device_class, "cache");
    const std::string sets = fmt::format(",{},", setting_of(device_class, "isa"));
    if (!device_class.starts_with(fmt::format("{} isa=", to_string(PlatformKind::host))) ||
        !cores || !cache_bytes) {
        return std::nullopt;
    }
    DeviceInfo info;
    info.platform = PlatformKind::host;
    info.id = to_string(info.platform);
    info.device_class = device_class;
    info.attributes = {{"cores", *cores}, {"cache_bytes", *cache_bytes}, {"simd_bytes", 16}};
    for (const InstructionSet& set : kInstructionSets) {
        if (sets.find(fmt::format(",{},", set.flag)) != std::string::npos) {
            std::int64_t& bytes = info.attributes.at("simd_bytes");
            bytes = std::max(bytes, set.simd_bytes);
        }
    }
    return info;
}

std::vector<int> usable_processors() {
    // The kernel refuses a mask smaller than its own, so grow it.
    for (int count = CPU_SETSIZE; count <= (1 << 20); count *= 2) {
        cpu_set_t* const mask = CPU_ALLOC(static_cast<std::size_t>(count));
        const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(count));
        const bool known = mask != nullptr && ::sched_getaffinity(0, bytes, mask) == 0;
        std::vector<int> numbers;
        for (int i = 0; known && i < count; ++i) {
            if (CPU_ISSET_S(static_cast<std::size_t>(i), bytes, mask)) {
                numbers.push_back(i);
            }
        }
        CPU_FREE(mask);
        if (known) {
            return numbers;
        }
    }
    return {};
}

std::optional<ProcessorUse> processor_use() {
    std::optional<ProcessorUse> use;
    FolderReader threads("/proc/self/task");
    for (const char* name = threads.next(); name != nullptr; name = threads.next()) {
        if (const auto one = use_of_thread(threads.number(), name + std::string("/schedstat"))) {
            use = use.value_or(ProcessorUse());
            use->ran += one->ran;
            use->waited += one->waited;
        }
    }
    return use;
}

std::optional<double> processors_taken() {
    constexpr std::chrono::milliseconds kLook{100};
    const std::vector<int> processors = usable_processors();
    const Ticks before = ticks_of(processors);
    const double own_before = own_seconds();
    std::this_thread::sleep_for(kLook);
    const Ticks after = ticks_of(processors);
    const double own = (own_seconds() - own_before) * static_cast<double>(::sysconf(_SC_CLK_TCK));
    if (after.total <= before.total) {
        return std::nullopt;
    }
    const auto total = static_cast<double>(after.total - before.total);
    return std::clamp((static_cast<double>(after.busy - before.busy) - own) / total, 0.0, 1.0);
}

double RecentLeast::add(double time, Clock::time_point now) {
    if (here_ == 0 || now - begin_ >= period_) {
        before_ = here_ == 0 || now - begin_ >= 2 * period_ ? time : here_;
        here_ = time;
        begin_ = now;
    }
    here_ = std::min(here_, time);
    return std::min(here_, before_);
}

double processor_slowdown() {
    static std::mutex mutex;
    static RecentLeast recent = [] {
        RecentLeast begun(std::chrono::seconds(30));
        begun.add(first_time(), RecentLeast::Clock::now());
        return begun;
    }();
    const double time = time_of_spin();
    const std::lock_guard lock(mutex);
    return time / recent.add(time, RecentLeast::Clock::now());
}

}  // namespace jitune::internal
