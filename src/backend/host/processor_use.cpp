// SPDX-License-Identifier: Apache-2.0
#include "backend/host/processor_use.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

#include "support/file_descriptor.hpp"
#include "support/folder_reader.hpp"

namespace jitune::internal {

namespace {

/// Of some processors, all together, in ticks of the system's clock.
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
/// has just ended. Without a stream, which takes longer than the system.
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

/// Of all threads of this process.
double own_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

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

}  // namespace jitune::internal
