// SPDX-License-Identifier: Apache-2.0
#include "support/process_end.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "jitune/error.hpp"

namespace jitune::internal::process_end {

namespace {

constinit std::atomic<void (*)()> stop_function{nullptr};
constinit std::atomic<bool> has_begun{false};
constinit std::atomic<int> works{0};
constinit std::atomic<pid_t> worker{0};  // not a fork of it, in which its threads are not
constinit std::atomic<std::stop_source*> stop_of_works{nullptr};  // never destroyed

/// The first of the handlers that runs does the work.
void end() {
    constexpr std::chrono::milliseconds kLook{1};
    constexpr int kMostLooks = 10'000;  // the process may be ended in the middle of a work
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

}  // namespace jitune::internal::process_end
