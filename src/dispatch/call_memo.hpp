// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "backend/stream_site.hpp"
#include "dispatch/dispatch_table.hpp"
#include "support/thread_own.hpp"

namespace jitune::internal {

/// The sizes of a problem; 0 for those that it does not have.
using CallSizes = std::array<std::int64_t, 3>;

/// What a call is recognised by when it comes again.
struct CallKey {
    std::uint64_t site = 0;  ///< StreamSite::serial(); 0: no call
    ProblemWords problem;
    CallSizes sizes{};

    bool operator==(const CallKey&) const = default;
};

/// The last calls of one thread, each ready to launch: a call that comes again costs one
/// comparison. For one thread.
class CallMemo {
public:
    /// That of the calling thread.
    static CallMemo& here() { return ThreadOwn<CallMemo>::here(); }

    /// The launch of an earlier call of this key, or nullptr. Valid until the next prepare(); what
    /// it needs lives as long as its site does, so that a key made of a site that lives will do.
    [[nodiscard]] const ReadyLaunch* find(const CallKey& key) const {
        const Entry& entry = entries_[place_of(key)];
        return entry.key == key ? entry.launch.get() : nullptr;
    }

    /// Remembers the launch of `resolved` for the sizes of the key, as many as the problem has,
    /// with work memory of `site`. Throws as LaunchRule::plan, StreamSite::scratch and
    /// Program::prepare do, and has forgotten the key then.
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
        const auto [a, b, c] = key.sizes;  // not judged yet: any numbers
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
