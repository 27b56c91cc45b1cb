#include "support/fork_guard.hpp"

#include <atomic>

#include <pthread.h>

namespace jitune {

namespace {

/// Counts the forks between the first process that asked and this one. Only fork changes it.
std::atomic<std::uint64_t>& generation() {
    static std::atomic<std::uint64_t> count{0};
    static const int registered = pthread_atfork(nullptr, nullptr, [] { ++generation(); });
    static_cast<void>(registered);
    return count;
}

}  // namespace

ForkGuard::ForkGuard() : generation_(generation()) {}

bool ForkGuard::forked() const {
    return generation() != generation_;
}

}  // namespace jitune
