// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_device.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <exception>
#include <numeric>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "backend/device.hpp"
#include "backend/host/host_facts.hpp"
#include "backend/host/host_memory.hpp"
#include "backend/host/host_threads.hpp"
#include "jitune/error.hpp"
#include "support/file_descriptor.hpp"
#include "support/loop_clock.hpp"

namespace jitune::internal {
namespace {

/// Per core at least this much: twice its private caches and its part of a shared one, also if
/// groups of cores have a last-level cache each.
constexpr std::int64_t kLeastSlice = 8 << 20;

void move_to(int cpu) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    ::sched_setaffinity(0, sizeof mask, &mask);
}

void read_all(std::span<const std::uint64_t> words) {
    // The volatile copy keeps the compiler from leaving the reads out.
    const volatile std::uint64_t sum =
        std::accumulate(words.begin(), words.end(), std::uint64_t{0});
    static_cast<void>(sum);
}

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
        throw_system_error(ErrorKind::unavailable,
                           fmt::format("allocate {} bytes of host memory: mmap", bytes), code);
    }
    return static_cast<std::byte*>(mapping);
}

/// Memory between two pages that nothing may touch: a candidate that leaves its arrays by more than
/// a page crashes at once, and not another one later. Aligned to 256 bytes like a device's, and as
/// close to the page behind it as that allows.
class GuardedMemory final : public DeviceMemory {
public:
    /// The content is indeterminate. Throws Error(unavailable).
    GuardedMemory(std::size_t bytes) : bytes_(bytes) {
        refuse_unavailable_memory(bytes);
        const std::size_t inner =
            round_up(round_up(bytes > 0 ? bytes : 1, kAlignment), page_bytes());
        mapped_bytes_ = inner + 2 * page_bytes();
        mapping_ = map(mapped_bytes_);
        if (::mprotect(mapping_ + page_bytes(), inner, PROT_READ | PROT_WRITE) != 0) {
            const int code = errno;
            ::munmap(mapping_, mapped_bytes_);
            throw_system_error(ErrorKind::unavailable,
                               fmt::format("allocate {} bytes of host memory: mprotect", bytes),
                               code);
        }
        data_ = mapping_ + page_bytes() + inner - round_up(bytes > 0 ? bytes : 1, kAlignment);
    }
    ~GuardedMemory() override { ::munmap(mapping_, mapped_bytes_); }
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;

    [[nodiscard]] void* data() const override { return data_; }
    [[nodiscard]] std::size_t bytes() const override { return bytes_; }

private:
    std::size_t bytes_;
    std::size_t mapped_bytes_;
    std::byte* mapping_;
    void* data_;
};

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::duration<double, std::nano>;

LaunchFailure too_slow(Nanoseconds time, std::chrono::milliseconds limit) {
    return {true, false,
            fmt::format("took {:.0f} ms, the limit is {} ms", time.count() * 1e-6, limit.count())};
}

/// The failure for the exception being handled, which a candidate or its launch has thrown. Throws
/// Error(unavailable) on: that memory is short says nothing about a candidate.
LaunchFailure failure_of_exception() {
    try {
        throw;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::unavailable) {
            throw;
        }
        return {false, false, error.what(), error.native_code()};
    } catch (const std::exception& error) {
        return {false, false, fmt::format("threw an exception: {}", error.what())};
    } catch (...) {
        return {false, false, "threw an exception"};
    }
}

/// Drives other data out of the caches of every core that this process may use.
class CacheFlusher {
public:
    /// Throws Error(unavailable).
    CacheFlusher(std::int64_t cores, std::int64_t cache_bytes)
        : slice_bytes_(std::max(kLeastSlice, 2 * cache_bytes / cores / 64 * 64)),
          memory_(static_cast<std::size_t>(slice_bytes_ * cores), HostMemory::Content::zero) {}

    /// Reads, on all cores at once, twice as much memory as the last-level cache holds.
    void flush() const {
        const auto words_per_slice = static_cast<std::size_t>(slice_bytes_) / sizeof(std::uint64_t);
        const std::span all(static_cast<const std::uint64_t*>(memory_.data()),
                            memory_.bytes() / sizeof(std::uint64_t));
        const std::vector<int> cpus = usable_processors();
        std::vector<std::jthread> readers;
        for (std::size_t slice = 0; slice < all.size() / words_per_slice; ++slice) {
            readers.emplace_back([&, slice] {
                if (slice < cpus.size()) {
                    move_to(cpus[slice]);
                }
                read_all(all.subspan(slice * words_per_slice, words_per_slice));
            });
        }
    }

private:
    std::int64_t slice_bytes_;
    HostMemory memory_;
};

class HostTimer final : public Timer {
public:
    HostTimer(const Program& program, std::span<const Launch> chain, std::size_t untimed,
              const CacheFlusher* flusher)
        : untimed_(static_cast<std::ptrdiff_t>(untimed)), flusher_(flusher) {
        require_timed(chain, untimed);
        for (const Launch& launch : chain) {
            program.prepare(launch, chain_.emplace_back(Link{nullptr, arrays_of(launch)}).launch);
        }
    }

    std::variant<double, LaunchFailure> sample(std::chrono::milliseconds limit) override {
        try {
            return measure(limit);
        } catch (...) {
            return failure_of_exception();
        }
    }

private:
    struct Link {
        std::unique_ptr<ReadyLaunch> launch;
        std::array<void*, kMaxArguments> arrays;
    };

    /// Doubles the passes until they last long enough. The next sample starts with that number. The
    /// time is 0 if the clock stands still.
    std::variant<double, LaunchFailure> measure(std::chrono::milliseconds limit) {
        constexpr Nanoseconds kLongEnough{50'000};
        constexpr std::size_t kMostPasses = std::size_t{1} << 20;  // each takes 1 ns or less then
        while (true) {
            if (flusher_ != nullptr) {
                flusher_->flush();
            }
            std::for_each(chain_.begin(), chain_.begin() + untimed_, run);
            const Nanoseconds time = run_passes();
            if (time > limit) {
                if (std::exchange(doubted_, true)) {
                    return too_slow(time, limit);
                }
                continue;  // perhaps the clock has jumped
            }
            const bool enough = time >= kLongEnough || passes_ >= kMostPasses;
            if (enough || flusher_ != nullptr || (time.count() == 0 && clock_stands_still())) {
                return time.count() / static_cast<double>(passes_) /
                       static_cast<double>(std::ssize(chain_) - untimed_);
            }
            passes_ *= 2;
        }
    }

    static void run(const Link& link) { (*link.launch)(link.arrays.data(), nullptr); }

    Nanoseconds run_passes() const {
        const auto start = Clock::now();
        for (std::size_t pass = 0; pass < passes_; ++pass) {
            std::for_each(chain_.begin() + untimed_, chain_.end(), run);
        }
        return Clock::now() - start;
    }

    std::vector<Link> chain_;
    std::ptrdiff_t untimed_;
    const CacheFlusher* flusher_;
    std::size_t passes_ = 1;
    bool doubted_ = false;  ///< one time was over the limit
};

class HostBench final : public Bench {
public:
    explicit HostBench(const DeviceInfo& info) : info_(info) {}

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return std::make_unique<GuardedMemory>(bytes);
    }

    void upload(void* device, std::span<const std::byte> data) override {
        copy(device, data.data(), data.size());
    }

    void download(std::span<std::byte> data, const void* device) override {
        copy(data.data(), device, data.size());
    }

    void fill(void* device, std::byte value, std::size_t bytes) override {
        if (bytes > 0) {
            std::memset(device, std::to_integer<int>(value), bytes);
        }
    }

    void copy(void* to, const void* from, std::size_t bytes) override {
        if (bytes > 0) {
            std::memmove(to, from, bytes);
        }
    }

    bool equal(const void* one, const void* other, std::size_t bytes) override {
        return bytes == 0 || std::memcmp(one, other, bytes) == 0;
    }

    std::vector<std::uint64_t> checksums(std::span<const MemoryRegion> regions) override {
        return host_checksums(regions);
    }

    std::optional<LaunchFailure> run(const Program& program, const Launch& launch,
                                     std::chrono::milliseconds limit) override {
        const auto start = Clock::now();
        try {
            program.launch(launch, nullptr);
        } catch (...) {
            return failure_of_exception();
        }
        const Nanoseconds time = Clock::now() - start;
        return time > limit ? std::optional(too_slow(time, limit)) : std::nullopt;
    }

    /// The timer reads the steady clock around the chain and, without `flush_cache`, repeats a
    /// chain that is too short for the clock within one sample; with it, each sample is one pass.
    /// `program` and this bench must outlive the timer.
    std::unique_ptr<Timer> timer(const Program& program, std::span<const Launch> chain,
                                 std::size_t untimed, bool flush_cache) override {
        if (flush_cache && !flusher_) {
            flusher_.emplace(info_.attributes.at("cores"), info_.attributes.at("cache_bytes"));
        }
        return std::make_unique<HostTimer>(program, chain, untimed,
                                           flush_cache ? &*flusher_ : nullptr);
    }

    /// A thread of the pool that a kernel has missed has waited for as long, too: the scheduler
    /// counts a wait only when it is over.
    std::optional<ProcessorUse> processor_use() override {
        auto use = internal::processor_use();
        if (use) {
            use->waited += HostThreads::of_process().missed();
            use->slowdown = processor_slowdown();
        }
        return use;
    }

private:
    const DeviceInfo& info_;
    std::optional<CacheFlusher> flusher_;
};

}  // namespace

std::unique_ptr<Bench> make_host_bench(const DeviceInfo& info) {
    return std::make_unique<HostBench>(info);
}

}  // namespace jitune::internal
