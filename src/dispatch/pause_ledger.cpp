// SPDX-License-Identifier: Apache-2.0
#include "dispatch/pause_ledger.hpp"

#include <fmt/format.h>

namespace jitune::internal {

void PauseLedger::add(const Task& task, const Resolved& answer, Clock::time_point start) {
    const auto waited = Clock::now() - start;
    if (waited < kPause) {
        return;
    }
    const std::lock_guard lock(mutex_);
    ++pauses_;
    if (waited > longest_) {
        longest_ = waited;
        reason_ = fmt::format("{}: {}", task.name(), to_string(answer.info.origin));
    }
}

void PauseLedger::report(Counters& counters) const {
    const std::lock_guard lock(mutex_);
    counters.pauses = pauses_;
    counters.longest_pause = std::chrono::duration_cast<std::chrono::microseconds>(longest_);
    counters.longest_pause_of = reason_;
}

}  // namespace jitune::internal
