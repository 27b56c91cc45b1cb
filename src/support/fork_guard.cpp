// SPDX-License-Identifier: Apache-2.0
#include "support/fork_guard.hpp"

#include <pthread.h>

namespace jitune::internal {

std::atomic<std::uint64_t> ForkGuard::forks_{0};

ForkGuard::ForkGuard() {
    static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks_; });
    static_cast<void>(registered);
    generation_ = forks_;
}

}  // namespace jitune::internal
