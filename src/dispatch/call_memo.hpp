// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "backend/stream_site.hpp"
#include "dispatch/dispatch_table.hpp"
#include "support/thread_own.hpp"

namespace jitune::internal {

/// The sizes of a problem; unused ones are 0.
using CallSizes = std::array<std::int64_t, 3>;

/// Recognises a call that is repeated.
struct CallKey {
    std::uint64_t site = 0;  ///< StreamSite::serial(); 0: no call
    ProblemWords problem;
    CallSizes sizes{};

    bool operator==(const CallKey&) const = default;
};

/// The last calls of one thread, each ready to launch, so that a repeated call costs one
/// comparison. For one thread.
class CallMemo {
public:
    /// The calling thread's memo.
    static CallMemo& here() { return ThreadOwn<CallMemo>::here(); }

    /// The launch of an earlier call with this key, or nullptr. Valid until the next prepare(). The
    /// launch refers to its site only, so that a key made from a living site is enough.
    [[nodiscard]] const ReadyLaunch* find(const CallKey& key) const {
        const Entry& entry = entries_[place_of(key)];
        return entry.key == key ? entry.launch.get() : nullptr;
    }

    /// Remembers the launch of `resolved` for `sizes`, which are the key's without the unused ones,
    /// with work memory of `site`. Throws as LaunchRule::plan, StreamSite::scratch and
    /// Program::prepare do; the key is forgotten then.
    const ReadyLaunch& prepare(const CallKey& key, std::span<const std::int64_t> sizes,
                               const Resolved& resolved, StreamSite& site);

private:
    static constexpr unsigned kBits = 4;
    /// One cache line.
    struct alignas(64) Entry {
        CallKey key;
        std::unique_ptr<ReadyLaunch> launch;
    };

    static std::size_t place_of(const CallKey& key) {
        const auto [a, b, c] = key.sizes;  // not checked yet, so any numbers
        const std::uint64_t sizes = static_cast<std::uint64_t>(a) +
                                    3 * static_cast<std::uint64_t>(b) +
                                    5 * static_cast<std::uint64_t>(c);
        const ProblemWords& problem = key.problem;
        return WordHash()
            .add(reinterpret_cast<std::uintptr_t>(problem.kernel) + problem.types +
                 problem.variant + key.site + sizes)
            .upper(kBits);
    }

    std::array<Entry, std::size_t{1} << kBits> entries_;
};

}  // namespace jitune::internal
