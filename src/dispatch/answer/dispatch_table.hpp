// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "backend/device.hpp"
#include "backend/stream_site.hpp"
#include "jitune/session.hpp"
#include "sizes/size_box.hpp"
#include "support/append_table.hpp"
#include "support/hash.hpp"
#include "template/launch_rule.hpp"

namespace jitune::internal {

/// A problem without its sizes and device, packed into a few machine words.
struct ProblemWords {
    const void* kernel = nullptr;  ///< the Kernel
    std::uint64_t types = 0;       ///< the operation's own packing of types and operation
    std::uint64_t variant = 0;     ///< hash of a pinned configuration or custom text; 0: none

    bool operator==(const ProblemWords&) const = default;
};

/// Spreads the bits of words over the upper bits of a hash: h = (h xor word) * odd, where odd is
/// 2^64 over the golden ratio (D. Knuth, The Art of Computer Programming, 6.4).
class WordHash {
public:
    WordHash& add(std::uint64_t word) {
        hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15;
        return *this;
    }
    [[nodiscard]] std::size_t upper(unsigned bits) const {
        return static_cast<std::size_t>(hash_ >> (64 - bits));
    }

private:
    std::uint64_t hash_ = 0;
};

/// The key of an answer. Several answers may have one key: each serves other sizes.
struct DispatchKey {
    const void* device = nullptr;  ///< the Device
    ProblemWords problem;
    std::int64_t bucket = 0;  ///< size_bucket()

    bool operator==(const DispatchKey&) const = default;

    /// A hash in [0, 1024).
    static std::size_t mix(const DispatchKey& key) {
        return WordHash()
            .add(reinterpret_cast<std::uintptr_t>(key.device))
            .add(reinterpret_cast<std::uintptr_t>(key.problem.kernel))
            .add(key.problem.types)
            .add(key.problem.variant)
            .add(static_cast<std::uint64_t>(key.bucket))
            .upper(10);
    }
};

class CallCounts;
class WinnerWatch;

/// A problem's answer, ready to launch.
struct Resolved {
    std::shared_ptr<const Program> program;
    LaunchRule rule;
    DispatchInfo info;
    SizeBox serves;               ///< the sizes that have this answer, of those in the key's bucket
    Digest winner{};              ///< of the winner that answers; zero: no winner does
    std::string winner_at;        ///< its Provenance::created_at
    std::string winner_driver;    ///< its Provenance::driver
    bool is_provisional = false;  ///< its winner is to be tuned again on a quiet machine
    bool is_exchangeable = false;  ///< Task::is_exchangeable() of its configuration
    /// Answers until the database can be read: no thread remembers its launch.
    bool is_makeshift = false;
    /// Why it answers though a winner was to: "not tuned within 2000 ms". Empty if a winner does,
    /// if nobody waited for one, and where a warning has said why.
    std::string reason = {};
    /// About how many calls it has served: CallMemo adds them up in batches. Calls of prepared
    /// handles and calls in `counts` are not among them.
    mutable std::atomic<std::int64_t> calls{0};
    /// Counts its calls by their exact sizes; nullptr: nothing does.
    mutable std::atomic<CallCounts*> counts{nullptr};
    /// Times a few of its calls; nullptr: nothing does.
    mutable std::atomic<WinnerWatch*> watch{nullptr};
    /// Another answer has taken its place. Only callers that hold this one already still launch it.
    mutable std::atomic<bool> is_retired{false};
};

/// Answers by key and sizes. As AppendTable: finding takes no lock, adding is thread-safe.
class DispatchTable {
public:
    [[nodiscard]] const Resolved* find(const DispatchKey& key,
                                       std::span<const std::int64_t> sizes) const {
        return answers_.find(key, Serves{sizes});
    }

    /// Adds an answer, and retires the answers of the key that serve some of its sizes or are no
    /// winners. Later calls find the new answer for its sizes, and none for sizes that only retired
    /// answers served. Threads forget the launches that they remember. Answers that callers hold
    /// stay valid. Returns false if no answer was retired.
    bool replace(const DispatchKey& key, std::unique_ptr<const Resolved> answer) {
        const Resolved& fresh = answers_.put(key, std::move(answer));
        bool replaces = false;
        answers_.for_each(key, [&](const Resolved& old) {
            const bool goes = old.winner == Digest{} || old.serves.overlaps(fresh.serves);
            if (&old != &fresh && goes && !old.is_retired.exchange(true)) {
                replaces = true;
            }
        });
        if (replaces) {
            StreamSite::forget_launches();
        }
        return replaces;
    }

    /// Adds an answer that serves `sizes`, unless the table has one; returns the one that it has.
    const Resolved& add(const DispatchKey& key, std::span<const std::int64_t> sizes,
                        std::unique_ptr<const Resolved> answer) {
        return answers_.add(key, std::move(answer), Serves{sizes});
    }

private:
    struct Serves {
        std::span<const std::int64_t> sizes;

        bool operator()(const Resolved& answer) const {
            return !answer.is_retired.load(std::memory_order_relaxed) &&
                   answer.serves.contains(sizes);
        }
    };

    AppendTable<DispatchKey, const Resolved, DispatchKey::mix> answers_;
};

}  // namespace jitune::internal
