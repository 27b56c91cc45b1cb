#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "backend/backend.hpp"
#include "engine/launch_rule.hpp"
#include "jitune/session.hpp"
#include "support/append_table.hpp"

namespace jitune {

/// What a call looks up: a problem reduced to a few words.
struct DispatchKey {
    const void* backend = nullptr;  ///< the Backend
    const void* kernel = nullptr;   ///< the Kernel
    std::uint64_t types = 0;        ///< the operation's own packing of types and operation
    std::int64_t bucket = 0;        ///< size_bucket()
    std::uint64_t variant = 0;      ///< hash of a pinned configuration or of custom text; 0: none

    bool operator==(const DispatchKey&) const = default;

    /// A hash in [0, 1024).
    static std::size_t mix(const DispatchKey& key) {
        constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
        std::uint64_t hash = reinterpret_cast<std::uintptr_t>(key.backend);
        hash = (hash ^ reinterpret_cast<std::uintptr_t>(key.kernel)) * kOdd;
        hash = (hash ^ key.types) * kOdd;
        hash = (hash ^ key.variant) * kOdd;
        hash = (hash ^ static_cast<std::uint64_t>(key.bucket)) * kOdd;
        return static_cast<std::size_t>(hash >> 54);
    }
};

/// A number that no other call in this process gets.
std::uint64_t next_serial();

/// A problem's answer, ready to launch.
struct Resolved {
    /// Tells this answer from every other, also from later ones at the same address.
    const std::uint64_t serial = next_serial();
    std::shared_ptr<const Program> program;
    LaunchRule rule;
    DispatchInfo info;
};

/// Answers by key.
using DispatchTable = AppendTable<DispatchKey, const Resolved, DispatchKey::mix>;

}  // namespace jitune
