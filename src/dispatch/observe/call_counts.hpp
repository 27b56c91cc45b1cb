// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "dispatch/answer/dispatch_table.hpp"

namespace jitune::internal {

/// The calls of a session by answer and exact sizes. Thread-safe. Only the first call with the same
/// sizes takes a lock.
class CallCounts {
public:
    struct Count {
        const Resolved* answer;
        Sizes sizes;
        std::atomic<std::int64_t> calls{0};
        std::int64_t recorded = 0;  ///< for the one thread that records
    };

    /// The count of an answer's calls at these sizes. The count lives as long as this object. Once
    /// there are kMost counts, calls at further sizes count in Resolved::calls.
    std::atomic<std::int64_t>& of(const Resolved& answer, std::span<const std::int64_t> sizes);
    static constexpr std::size_t kMost = 10'000;

    /// All counts that there are now.
    [[nodiscard]] std::vector<Count*> all() const;

private:
    struct Key {
        const Resolved* answer;
        std::uint64_t sizes;  ///< hash

        bool operator==(const Key&) const = default;
        static std::size_t mix(const Key& key) {
            return WordHash()
                .add(reinterpret_cast<std::uintptr_t>(key.answer))
                .add(key.sizes)
                .upper(10);
        }
    };

    AppendTable<Key, Count, Key::mix> counts_;
    mutable std::mutex mutex_;  ///< of adding
    std::vector<Count*> all_;
};

}  // namespace jitune::internal
