// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_threads.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <thread>

#include "support/thread_signals.hpp"

namespace jitune::internal {

namespace {

using Clock = std::chrono::steady_clock;

/// How long a thread looks for what it waits for before it sleeps. If nobody else wants the cores,
/// that is as long as calls of one loop may be apart; else less than it takes to sleep and wake up.
constexpr std::chrono::microseconds kPatience{2000};
constexpr std::chrono::microseconds kPatienceOnBusyCores{20};
/// If another thread takes a core for longer than this, it wants the core; a wake-up takes it for
/// less.
constexpr std::chrono::milliseconds kLostCore{1};
/// Cores count as busy for this long after another thread has taken one.
constexpr std::chrono::milliseconds kBusy{100};

/// Work that takes one thread less than this is not worth a wake-up.
constexpr std::chrono::microseconds kWorthWaking{100};
/// After this time, a thread that looks for work on a core of its own has found it.
constexpr std::chrono::microseconds kNoticed{20};
/// The parts of each thread's share, if the work has as many: enough for threads that are stopped
/// now and then.
constexpr std::uint64_t kParts = 64;

void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake(const std::atomic<std::uint32_t>& word) {
    ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("yield");
#endif
}

/// How often another thread has taken the calling one's core.
long lost_cores() {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

std::atomic<Clock::time_point> busy_until{Clock::time_point::min()};

/// Looks until `there`, as long as patience lasts. Returns the last answer.
template <class There>
bool looked_for(const There& there) {
    if (there()) {
        return true;
    }
    long lost_before = lost_cores();
    const auto start = Clock::now();
    for (auto last = start, now = start;; last = now, now = Clock::now()) {
        if (now - last > kLostCore) {
            const long lost = lost_cores();
            busy_until = lost > lost_before ? now + kBusy : busy_until.load();
            lost_before = lost;
        }
        if (now - start >= (now < busy_until.load() ? kPatienceOnBusyCores : kPatience)) {
            return there();
        }
        for (int i = 0; i < 32; ++i) {
            if (there()) {
                return true;
            }
            relax();
        }
    }
}

std::atomic<HostThreads*> of_this_process{nullptr};

/// Threads do not survive a fork, and a lock may be held in the child for good.
void forget_threads() {
    of_this_process = new HostThreads;
}

}  // namespace

HostThreads& HostThreads::of_process() {
    HostThreads* known = of_this_process.load(std::memory_order_acquire);
    if (known == nullptr) [[unlikely]] {
        static std::once_flag once;
        std::call_once(once, [] {
            of_this_process = new HostThreads;
            ::pthread_atfork(nullptr, nullptr, &forget_threads);
        });
        known = of_this_process;
    }
    return *known;
}

void HostThreads::run(Work work, const void* context, unsigned long long count, int threads) {
    const std::unique_lock calling(calling_, std::try_to_lock);
    if (!calling || threads < 2 || count < 2) {
        return work(context, 0, count);
    }
    const std::uint32_t wanted = std::min(static_cast<std::uint32_t>(threads), kMost);
    add_threads(wanted - 1);
    call_ = {work, context, count,
             static_cast<std::uint32_t>(std::min<std::uint64_t>(count, kParts * wanted))};
    const Summons summons = call(std::min(wanted, 1 + threads_));
    // A wake-up takes as long as short work: sleepers are left alone if the same work was short.
    const bool wakes = work != last_work_ || count != last_count_ || last_time_ > kWorthWaking;
    if (wakes) {
        wake_sleepers(summons.seats);
    }
    const auto start = Clock::now();
    const std::uint32_t done = take_part(0, summons);
    const std::chrono::nanoseconds time = Clock::now() - start;
    // The time that one thread would take for all parts, by the time that the caller's parts took.
    last_time_ = time / std::max(done, 1U) * call_.parts;
    last_work_ = work;
    last_count_ = count;
    wait_for_others();
    count_missed(summons, time, wakes);
}

void HostThreads::add_threads(std::uint32_t wanted) {
    if (threads_ >= wanted) {
        return;
    }
    const SignalsBlocked blocked;
    try {
        for (; threads_ < wanted; ++threads_) {
            std::thread([this, number = threads_ + 1] { serve(number); }).detach();
        }
    } catch (const std::system_error&) {
        // The others do the work.
    } catch (const std::bad_alloc&) {
    }
}

HostThreads::Summons HostThreads::call(std::uint32_t seats) {
    static_assert(kParts * kMost <= 0xffff);
    const Summons summons{summons_.load().turn + 1, seats};
    left_ = call_.parts;
    for (std::uint32_t i = 0; i < seats; ++i) {
        // The summons tell of it: one slow store instead of many.
        all_seats_[i].share.store(
            {summons.turn, static_cast<std::uint16_t>(call_.parts * i / seats),
             static_cast<std::uint16_t>(call_.parts * (i + 1) / seats)},
            std::memory_order_release);
    }
    summons_ = summons;
    return summons;
}

void HostThreads::wake_sleepers(std::uint32_t seats) {
    if (asleep_ == 0) {
        return;
    }
    for (std::uint32_t i = 1; i < seats; ++i) {
        Seat& seat = all_seats_[i];
        if (seat.is_asleep) {
            ++seat.wakes;
            wake(seat.wakes);
        }
    }
}

void HostThreads::count_missed(const Summons& summons, std::chrono::nanoseconds time,
                               bool are_woken) {
    std::uint32_t missed = 0;
    for (std::uint32_t i = 1; i < std::min(summons.seats, call_.parts); ++i) {
        const Seat& seat = all_seats_[i];
        if (seat.last_turn.load(std::memory_order_relaxed) == summons.turn) {
            continue;
        }
        const bool is_asleep = seat.is_asleep.load(std::memory_order_relaxed);
        const bool had_time = is_asleep ? are_woken && time > kWorthWaking : time > kNoticed;
        missed += had_time || Clock::now() < busy_until.load() ? 1 : 0;
    }
    if (missed > 0) {
        missed_ns_.fetch_add((time * missed).count(), std::memory_order_relaxed);
    }
}

void HostThreads::serve(std::uint32_t number) {
    ::pthread_setname_np(::pthread_self(), "jitune");
    bool looks = true;
    for (std::uint32_t turn = 0;;) {
        const Summons summons = wait_for_call(all_seats_[number], turn, looks);
        turn = summons.turn;
        looks = number < summons.seats;  // a thread that the call does not need sleeps at once
        if (looks) {
            take_part(number, summons);
        }
    }
}

HostThreads::Summons HostThreads::wait_for_call(Seat& seat, std::uint32_t turn, bool looks) {
    const auto is_called = [&] { return summons_.load().turn != turn; };
    while (!(looks ? looked_for(is_called) : is_called())) {
        // Nothing is lost between the look and the sleep. A caller stores the summons and then
        // reads who is asleep, this thread does it the other way round: one of the two sees the
        // other. If the caller's wake-up comes before the sleep, `wakes` has changed, and the futex
        // returns.
        const std::uint32_t wakes = seat.wakes;
        seat.is_asleep = true;
        ++asleep_;
        if (!is_called()) {
            sleep_while(seat.wakes, wakes);
        }
        --asleep_;
        seat.is_asleep = false;
    }
    return summons_;
}

std::uint32_t HostThreads::take_part(std::uint32_t number, const Summons& summons) {
    std::uint32_t done = 0;
    // Takes its own share first, then those of the others; each thread begins at another one.
    for (std::uint32_t i = 0; i < summons.seats; ++i) {
        done +=
            do_parts_of(all_seats_[(number + i) % summons.seats], all_seats_[number], summons.turn);
    }
    return done;
}

std::uint32_t HostThreads::do_parts_of(Seat& seat, Seat& own, std::uint32_t turn) {
    Share share = seat.share;
    std::uint32_t done = 0;
    while (share.turn == turn && share.next < share.end) {
        // The turn is in the same word: a thread that is late from an earlier call claims nothing.
        const Share after{share.turn, static_cast<std::uint16_t>(share.next + 1), share.end};
        if (seat.share.compare_exchange_weak(share, after)) {
            // Read call_ only after the claim: the call lasts until the claimed part is done, and
            // call_ stays as long.
            const auto [work, context, count, parts] = call_;
            const std::uint64_t part = share.next;
            const std::uint64_t longer = count % parts;  // the first parts have one more
            work(context, count / parts * part + std::min(part, longer),
                 count / parts + (part < longer ? 1 : 0));
            ++done;
            share = seat.share;
        }
    }
    if (done > 0) {
        own.last_turn.store(turn, std::memory_order_relaxed);
        if (left_.fetch_sub(done) == done && caller_sleeps_) {
            wake(left_);
        }
    }
    return done;
}

void HostThreads::wait_for_others() {
    if (looked_for([&] { return left_ == 0; })) {
        return;
    }
    // Set this before the look at left_: whoever takes left_ to 0 after that look wakes this
    // thread.
    caller_sleeps_ = true;
    for (std::uint32_t left = left_; left != 0; left = left_) {
        sleep_while(left_, left);
    }
    caller_sleeps_ = false;
}

}  // namespace jitune::internal
