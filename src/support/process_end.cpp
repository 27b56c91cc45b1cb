// SPDX-License-Identifier: Apache-2.0
#include "support/process_end.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "jitune/error.hpp"
#include "support/thread_signals.hpp"

namespace jitune::internal::process_end {

namespace {

constinit std::atomic<void (*)()> stop_function{nullptr};
constinit std::atomic<bool> has_begun{false};
constinit std::atomic<int> works{0};
constinit std::atomic<pid_t> worker{0};  // compared with getpid(): a fork does not have its threads
constinit std::atomic<std::stop_source*> stop_of_works{nullptr};  // never destroyed

/// The first of the handlers that runs does the work.
void end() {
    constexpr std::chrono::milliseconds kLook{1};
    constexpr int kMostLooks = 10'000;  // then ends, though work goes on
    if (has_begun.exchange(true)) {
        return;
    }
    if (void (*const stop)() = stop_function) {
        stop();
    }
    if (std::stop_source* const made = stop_of_works) {  // there may be no memory to make it now
        made->request_stop();
    }
    for (int look = 0; works > 0 && worker == ::getpid() && look < kMostLooks; ++look) {
        std::this_thread::sleep_for(kLook);
    }
}

}  // namespace

void call(void (*stop)()) {
    void (*none)() = nullptr;
    if (stop_function.compare_exchange_strong(none, stop)) {
        std::at_quick_exit(end);
        come_before_destructors();
    }
}

void come_before_destructors() {
    std::atexit(end);
}

void refuse() {
    if (has_begun) {
        throw Error(ErrorKind::unavailable, "cannot compile a kernel: the process is ending");
    }
}

Work::Work() {
    if (const pid_t here = ::getpid(); worker.exchange(here) != here) {
        works = 0;  // those of the process that this one is a fork of
    }
    ++works;  // before the look: end() looks in the other order
    try {
        refuse();
    } catch (const Error&) {
        --works;
        throw;
    }
}

Work::~Work() {
    --works;
}

std::stop_token Work::stop() {
    static std::stop_source& made = []() -> std::stop_source& {
        stop_of_works = new std::stop_source;
        return *stop_of_works;
    }();
    return made.get_token();
}

FirstUse::FirstUse() {
    const SignalsBlocked blocked;
    try {
        registers_ = std::jthread([](const std::stop_token& stop) {
            constexpr std::chrono::microseconds kOften{200};
            constexpr std::chrono::microseconds kSeldom{100'000};
            constexpr int kUsual = 10'000;  // more only if it hangs: the system keeps them all
            for (int turn = 0; !stop.stop_requested(); ++turn) {
                come_before_destructors();
                std::this_thread::sleep_for(turn < kUsual ? kOften : kSeldom);
            }
        });
    } catch (const std::system_error&) {  // no thread: then as without
    }
}

FirstUse::~FirstUse() {
    registers_ = {};
    come_before_destructors();
}

}  // namespace jitune::internal::process_end
