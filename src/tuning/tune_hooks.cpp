// SPDX-License-Identifier: Apache-2.0
#include "tuning/tune_hooks.hpp"

#include <thread>

namespace jitune::internal {

std::chrono::nanoseconds await_turn(const TuneHooks& hooks) {
    constexpr std::chrono::milliseconds kGlance{20};
    if (hooks.has_turn()) {
        return std::chrono::nanoseconds(0);
    }
    hooks.observer->rests();
    const auto begin = std::chrono::steady_clock::now();
    do {
        std::this_thread::sleep_for(kGlance);
    } while (!hooks.stop->load() && !hooks.has_turn());
    return std::chrono::steady_clock::now() - begin;
}

}  // namespace jitune::internal
