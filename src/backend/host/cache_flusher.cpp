// SPDX-License-Identifier: Apache-2.0
#include "backend/host/cache_flusher.hpp"

#include <sched.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include "backend/host/processor_use.hpp"

namespace jitune::internal {

namespace {

/// Per core at least this much: twice its private caches and its part of a shared one, also where
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

}  // namespace

CacheFlusher::CacheFlusher(std::int64_t cores, std::int64_t cache_bytes)
    : slice_bytes_(std::max(kLeastSlice, 2 * cache_bytes / cores / 64 * 64)),
      memory_(static_cast<std::size_t>(slice_bytes_ * cores), HostMemory::Content::zero) {}

void CacheFlusher::flush() const {
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

}  // namespace jitune::internal
