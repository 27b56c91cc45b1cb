// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/pause_ledger.hpp"

#include <utility>

#include <fmt/format.h>

#include "support/loop_clock.hpp"

namespace jitune::internal {

void PauseLedger::add(const Task& task, const Resolved& answer, std::chrono::nanoseconds waited) {
    if (waited < kPause) {
        return;
    }
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(waited).count();
    const std::string now = utc_text();
    const Pause pause{task.problem.kernel,
                      types_text(task.problem),
                      task.info().name,
                      to_string(answer.info.origin),
                      1,
                      us,
                      task.sizes(),
                      now,
                      now};
    const std::lock_guard lock(mutex_);
    ++pauses_;
    if (waited > longest_) {
        longest_ = waited;
        reason_ = fmt::format("{}: {}", task.name(), to_string(answer.info.origin));
    }
    const auto [place, is_new] = new_.try_emplace(pause.place(), pause);
    if (!is_new) {
        place->second.add(pause);
    }
}

std::vector<Pause> PauseLedger::take() {
    const std::lock_guard lock(mutex_);
    std::vector<Pause> pauses;
    for (const auto& [place, pause] : std::exchange(new_, {})) {
        pauses.push_back(pause);
    }
    return pauses;
}

void PauseLedger::report(Counters& counters) const {
    const std::lock_guard lock(mutex_);
    counters.pauses = pauses_;
    counters.longest_pause = std::chrono::duration_cast<std::chrono::microseconds>(longest_);
    counters.longest_pause_of = reason_;
}

}  // namespace jitune::internal
