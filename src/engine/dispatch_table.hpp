#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "backend/backend.hpp"
#include "engine/launch_rule.hpp"
#include "jitune/session.hpp"

namespace jitune {

/// What a call looks up: a problem reduced to a few words.
struct DispatchKey {
    const void* backend = nullptr;  ///< the Backend
    const void* kernel = nullptr;   ///< the Kernel
    std::uint64_t types = 0;        ///< the operation's own packing of types and operation
    std::int64_t bucket = 0;        ///< size_bucket()

    bool operator==(const DispatchKey&) const = default;
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

/// Answers by key. Reading takes no lock and never waits; entries are only added and live as long
/// as the table. Adding is thread-safe.
class DispatchTable {
public:
    DispatchTable() = default;
    ~DispatchTable();
    DispatchTable(const DispatchTable&) = delete;
    DispatchTable& operator=(const DispatchTable&) = delete;

    [[nodiscard]] const Resolved* find(const DispatchKey& key) const;

    /// Returns the entry that stands: the one that was there first.
    const Resolved& add(const DispatchKey& key, std::unique_ptr<const Resolved> resolved);

private:
    struct Node;
    static constexpr std::size_t kHeads = 1024;
    std::array<std::atomic<Node*>, kHeads> heads_{};
};

}  // namespace jitune
