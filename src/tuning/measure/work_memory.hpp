// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "backend/device.hpp"

namespace jitune::internal {

/// Holds work memory of one kind for the launches of candidates, in several places. Blocks hand
/// each other partial results through a few bytes. Their time differs by some per cent with the
/// place of these bytes, probably because a multiprocessor is nearer to some parts of the cache
/// than to others. Launches of one sample take the places in turn, so that luck decides less. Used
/// by one thread at a time; must not outlive the bench.
class WorkMemory {
public:
    static constexpr std::size_t kPlaces = 8;

    /// `value`: what each byte is before a candidate runs.
    WorkMemory(Bench& bench, std::byte value) : bench_(bench), value_(value) {}

    /// Returns how many places work memory of so many bytes has: 1 for 0 bytes and for more than 64
    /// KiB, which reach many parts of the cache by themselves.
    static std::size_t places_of(std::size_t bytes);

    /// Returns the address of `bytes` bytes, 256-byte aligned, at place number `place` of kPlaces.
    /// The first place ends where the allocation ends, so that a write behind it fails on the host.
    /// Returns null for 0 bytes before the first allocation. Earlier addresses stay valid. Throws
    /// Error(unavailable) if the device has too little memory.
    void* at(std::size_t place, std::size_t bytes);
    /// Gives each byte its value again.
    void refill();
    /// True if each byte is zero.
    [[nodiscard]] bool is_zero() const;

private:
    Bench& bench_;
    std::byte value_;
    std::vector<std::unique_ptr<DeviceMemory>> memory_;  ///< the newest is in use
};

}  // namespace jitune::internal
