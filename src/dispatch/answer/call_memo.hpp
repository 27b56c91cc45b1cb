// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "backend/stream_site.hpp"
#include "dispatch/answer/dispatch_table.hpp"
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
    /// launch refers to its site alone, so it is valid if the site of the key still lives.
    [[nodiscard]] const ReadyLaunch* find(const CallKey& key) {
        const std::size_t place = place_of(key);
        const Entry& entry = entries_[place];
        if (!(entry.key == key)) {
            return nullptr;
        }
        Tally& tally = tallies_[place];
        if (++tally.calls == tally.due) [[unlikely]] {
            return counted(place);
        }
        return entry.launch.get();
    }

    /// Remembers the launch of `resolved` for `sizes`, which are the key's without the unused ones,
    /// with work memory of `site`, and counts the call. Throws as LaunchRule::plan,
    /// StreamSite::scratch and Program::prepare do; the key is forgotten then.
    const ReadyLaunch& prepare(const CallKey& key, std::span<const std::int64_t> sizes,
                               const Resolved& resolved, StreamSite& site);

private:
    static constexpr unsigned kBits = 4;
    /// One cache line.
    struct alignas(64) Entry {
        CallKey key;
        std::unique_ptr<ReadyLaunch> launch;
    };

    /// Has a call timed by the watch.
    class WatchedLaunch final : public ReadyLaunch {
    public:
        WatchedLaunch() : ReadyLaunch(call) {}

        WinnerWatch* watch = nullptr;
        const Resolved* answer = nullptr;
        CallSizes sizes{};
        std::size_t dimensions = 0;
        const ReadyLaunch* launch = nullptr;

    private:
        static void call(const ReadyLaunch& self, void* const* arrays, Stream stream);
    };

    /// Counts the calls of an entry. Adds them to the count of the answer in batches, of at most an
    /// eighth of the calls that it has added before and of at most 1024: to add to a count that all
    /// threads share takes as long as the rest of a call. The answer may end before the thread, so
    /// the last batch is not added at the thread's end.
    struct Tally {
        std::uint32_t calls = 0;
        std::uint32_t due = 1;
        std::uint64_t added = 0;
        std::atomic<std::int64_t>* total = nullptr;
        const Resolved* answer = nullptr;
        std::uint32_t unsampled = 0;   ///< calls since the last that was timed
        std::uint32_t dimensions = 0;  ///< sizes of the problem; more than CallSizes: not watched

        void add();
    };

    /// Adds up an entry's calls. Returns its launch, which is timed now and then.
    const ReadyLaunch* counted(std::size_t place);

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
    std::array<Tally, std::size_t{1} << kBits> tallies_;
    WatchedLaunch watched_;
};

}  // namespace jitune::internal
