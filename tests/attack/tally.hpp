// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace jitune::internal {

/// Whether attacks are tried as often as scripts/attack does, not as seldom as the tests do.
inline bool attacks_in_full() {
    const char* const value = std::getenv("JITUNE_ATTACK");
    return value != nullptr && std::string_view(value) == "full";
}

/// How often to try an attack: `few` times as a test, `all` times by scripts/attack.
inline int tries(int few, int all) {
    return attacks_in_full() ? all : few;
}

/// Counts how often an attack was tried and survived. Where attacks are tried in full, its end
/// prints a row that scripts/attack gathers. For several threads.
class Tally {
public:
    explicit Tally(std::string attack) : attack_(std::move(attack)) {}
    Tally(const Tally&) = delete;
    Tally& operator=(const Tally&) = delete;
    ~Tally() {
        if (attacks_in_full()) {
            std::printf("attack: %-64s %7d %8d %6d\n", attack_.c_str(), tried_, survived_,
                        tried_ - survived_);
        }
    }

    void add(bool survived, int times = 1) {
        const std::lock_guard lock(mutex_);
        tried_ += times;
        survived_ += survived ? times : 0;
    }

private:
    std::string attack_;
    std::mutex mutex_;
    int tried_ = 0, survived_ = 0;
};

}  // namespace jitune::internal
