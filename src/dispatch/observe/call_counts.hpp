// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dispatch/answer/dispatch_table.hpp"

namespace jitune::internal {

/// The calls of a session by answer and exact sizes. Thread-safe, without locks.
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
    std::atomic<std::int64_t>& of(const Resolved& answer, std::span<const std::int64_t> sizes) {
        Key key{&answer, 0};
        for (const std::int64_t size : sizes) {
            key.sizes = key.sizes * 31 + static_cast<std::uint64_t>(size);
        }
        const auto is_same = [&](const Count& one) { return std::ranges::equal(one.sizes, sizes); };
        if (Count* const known = counts_.find(key, is_same)) {
            return known->calls;
        }
        if (asked_.fetch_add(1, std::memory_order_relaxed) >= kMost) {
            return answer.calls;
        }
        std::unique_ptr<Count> count(new Count{&answer, Sizes(sizes.begin(), sizes.end())});
        return counts_.add(key, std::move(count), is_same).calls;
    }
    static constexpr std::size_t kMost = 10'000;

    /// All counts that there are now.
    [[nodiscard]] std::vector<Count*> all() const {
        std::vector<Count*> all;
        counts_.for_each([&](Count& count) { all.push_back(&count); });
        return all;
    }

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
    std::atomic<std::size_t> asked_{0};  ///< for counts that were not there
};

/// The counter of the calls that an answer serves at these sizes.
inline std::atomic<std::int64_t>& calls_of(const Resolved& answer,
                                           std::span<const std::int64_t> sizes) {
    CallCounts* const counts = answer.counts.load(std::memory_order_acquire);
    return counts != nullptr ? counts->of(answer, sizes) : answer.calls;
}

}  // namespace jitune::internal
