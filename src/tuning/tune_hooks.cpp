// SPDX-License-Identifier: Apache-2.0
#include "tuning/tune_hooks.hpp"

#include <thread>

namespace jitune::internal {

void await_turn(const TuneHooks& hooks) {
    constexpr std::chrono::milliseconds kGlance{10};
    const auto may_go = [&] { return !hooks.has_turn || hooks.stop->load() || hooks.has_turn(); };
    if (may_go()) {
        return;
    }
    hooks.observer->rests();
    const auto begin = hooks.time->now();
    do {
        std::this_thread::sleep_for(kGlance);
    } while (!may_go());
    *hooks.rested += hooks.time->now() - begin;
}

}  // namespace jitune::internal
