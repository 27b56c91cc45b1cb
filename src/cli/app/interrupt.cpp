// SPDX-License-Identifier: Apache-2.0
#include "cli/app/interrupt.hpp"

namespace jitune::internal {

namespace {

// A signal handler can reach nothing but a global.
std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void request_stop(int) {
    stop_requested.store(true);
}

extern "C" void do_nothing(int) {}

}  // namespace

Interrupt::Interrupt() {
    stop_requested.store(false);
    struct sigaction action {};
    action.sa_handler = request_stop;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    ::sigaction(SIGINT, &action, &old_int_);
    ::sigaction(SIGTERM, &action, &old_term_);
}

Interrupt::~Interrupt() {
    ::sigaction(SIGINT, &old_int_, nullptr);
    ::sigaction(SIGTERM, &old_term_, nullptr);
}

const std::atomic<bool>& Interrupt::requested() const {
    return stop_requested;
}

bool was_interrupted() {
    return stop_requested;
}

void catch_failed_writes() {
    struct sigaction action {};
    action.sa_handler = do_nothing;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGPIPE, &action, nullptr);
    ::sigaction(SIGXFSZ, &action, nullptr);
}

}  // namespace jitune::internal
