// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace jitune::internal {

/// Threads that take part in host kernels, kept from call to call. Each has a share of the work,
/// the same from call to call, so that data stays in its core's cache; whoever is done takes parts
/// of the others' shares. So a thread that gets no core keeps nobody waiting: on busy cores the
/// caller does all of it. Between calls threads look for work, as long as nobody else wants their
/// cores, then they sleep. Thread-safe.
class HostThreads {
public:
    /// Does the parts [first, first + count).
    using Work = void (*)(const void* context, unsigned long long first, unsigned long long count);

    /// Those of the process, made on first use and never destroyed; new ones in a forked child.
    static HostThreads& of_process();

    HostThreads() = default;
    HostThreads(const HostThreads&) = delete;
    HostThreads& operator=(const HostThreads&) = delete;

    /// Calls `work` for disjoint parts of [0, count), all of them together, on the calling thread
    /// and up to `threads` - 1 others, and returns when all is done. The calling thread alone does
    /// it while another one calls, and as far as the system gives no threads. `work` throws
    /// nothing.
    void run(Work work, const void* context, unsigned long long count, int threads);

    /// run() of those of the process.
    static void run_here(Work work, const void* context, unsigned long long count, int threads) {
        of_process().run(work, context, count, threads);
    }

    /// For how long calls have missed threads that they wanted, each thread by itself: it did no
    /// part of the work, though the call lasted long enough for it to notice, or cores were busy.
    [[nodiscard]] std::chrono::nanoseconds missed() const {
        return std::chrono::nanoseconds(missed_ns_.load(std::memory_order_relaxed));
    }

private:
    static constexpr std::uint32_t kMost = 1023;  // a word numbers the parts of so many shares
    /// Parts of the work that belong to one thread, in one word: whoever moves `next` on has
    /// claimed a part, and the call lasts until that is done.
    struct Share {
        std::uint32_t turn = 0;  ///< of the call
        std::uint16_t next = 0;  ///< the first part that nobody has begun
        std::uint16_t end = 0;
    };
    /// The state of one thread; the caller has the first seat.
    struct alignas(64) Seat {
        std::atomic<Share> share{Share{}};
        std::atomic<std::uint32_t> last_turn{0};  ///< the last call that it has done a part of
        std::atomic<std::uint32_t> wakes{0};
        std::atomic<bool> is_asleep{false};
    };
    /// What threads look at between calls.
    struct Summons {
        std::uint32_t turn = 0;   ///< the number of the call that runs, or of the last one
        std::uint32_t seats = 0;  ///< so many threads, from the first on, take part in it
    };
    /// The work of the call. Written while no part can be claimed.
    struct Call {
        Work work = nullptr;
        const void* context = nullptr;
        std::uint64_t count = 0;
        std::uint32_t parts = 0;
    };

    [[noreturn]] void serve(std::uint32_t number);
    /// Starts threads until there are `wanted`.
    void add_threads(std::uint32_t wanted);
    /// Puts all parts into the shares of the first `seats`, and calls those who are awake.
    Summons call(std::uint32_t seats);
    void wake_sleepers(std::uint32_t seats);
    /// After a call in which the caller worked for `time`.
    void count_missed(const Summons& summons, std::chrono::nanoseconds time, bool are_woken);
    /// Waits for the call after `turn`. Without `looks` it sleeps at once.
    Summons wait_for_call(Seat& seat, std::uint32_t turn, bool looks);
    /// Does parts until none is left, those of its own share first. Returns how many it did.
    std::uint32_t take_part(std::uint32_t number, const Summons& summons);
    /// Call it on the thread that has the seat `own`.
    std::uint32_t do_parts_of(Seat& seat, Seat& own, std::uint32_t turn);
    void wait_for_others();

    std::mutex calling_;  ///< held during a call; guards the next five
    std::uint32_t threads_ = 0;
    Work last_work_ = nullptr;
    std::uint64_t last_count_ = 0;
    std::chrono::nanoseconds last_time_{0};  ///< of the last call's work, on one thread
    Call call_;
    std::atomic<std::int64_t> missed_ns_{0};
    alignas(64) std::atomic<Summons> summons_{Summons{}};
    std::atomic<std::uint32_t> asleep_{0};
    alignas(64) std::atomic<std::uint32_t> left_{0};  ///< parts that are not done
    std::atomic<bool> caller_sleeps_{false};
    std::array<Seat, kMost> all_seats_;
};

}  // namespace jitune::internal
