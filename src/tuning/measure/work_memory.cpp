// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/work_memory.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "tuning/measure/trial_case.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kAlignment = 256;

std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// The distance from one place to the next. It is no power of two, because caches may map such
/// distances to the same part.
std::size_t distance(std::size_t bytes) {
    constexpr std::size_t kUnitsApart = 16;
    return ((aligned(bytes) / kAlignment + kUnitsApart) | 1) * kAlignment;
}

}  // namespace

std::size_t WorkMemory::places_of(std::size_t bytes) {
    constexpr std::size_t kMostInPlaces = std::size_t{64} << 10;
    return bytes > 0 && bytes <= kMostInPlaces ? kPlaces : 1;
}

void* WorkMemory::at(std::size_t place, std::size_t bytes) {
    constexpr std::size_t kMost = std::size_t{1} << 62;  // the sums below stay in range
    if (bytes > kMost) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("allocate {} bytes of work memory: no device has so many", bytes));
    }
    const std::size_t places = places_of(bytes);
    const std::size_t needed = aligned(bytes) + (places - 1) * distance(bytes);
    if (bytes > 0 && (memory_.empty() || memory_.back()->bytes() < needed)) {
        memory_.push_back(bench_.allocate(std::bit_ceil(needed)));
        bench_.fill(memory_.back()->data(), value_, memory_.back()->bytes());
    }
    if (memory_.empty()) {
        return nullptr;
    }
    auto* const end = static_cast<std::byte*>(memory_.back()->data()) + memory_.back()->bytes();
    return end - aligned(bytes) - place % places * distance(bytes);
}

void WorkMemory::refill() {
    if (!memory_.empty()) {
        bench_.fill(memory_.back()->data(), value_, memory_.back()->bytes());
    }
}

/// Of large memory only the beginning comes to the host. The device then compares the memory with
/// itself, shifted by that beginning: equal bytes are all zero if the beginning is.
bool WorkMemory::is_zero() const {
    if (memory_.empty()) {
        return true;
    }
    constexpr std::size_t kBeginning = 256;
    const std::size_t bytes = memory_.back()->bytes();
    std::vector<std::byte> seen(bytes < kWorthComparing ? bytes : kBeginning);
    bench_.download(seen, memory_.back()->data());
    const auto* const data = static_cast<const std::byte*>(memory_.back()->data());
    return std::all_of(seen.begin(), seen.end(), [](std::byte b) { return b == std::byte{0}; }) &&
           (seen.size() == bytes || bench_.equal(data, data + seen.size(), bytes - seen.size()));
}

}  // namespace jitune::internal
