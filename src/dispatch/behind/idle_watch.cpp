// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/idle_watch.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kIdle = 0.02;
constexpr seconds kRest{1};
constexpr milliseconds kShortRest{250};
constexpr seconds kOwnEcho{2};  // so long own work may still be in the driver's words
constexpr seconds kLong{60};

}  // namespace

void IdleWatch::look(std::optional<double> share, Clock::time_point now) {
    if (share && *share <= kIdle) {
        idle_since_ = idle_since_.value_or(now);
    } else {
        idle_since_.reset();
    }
    if (!busy_since_ || is_idle(now)) {
        busy_since_ = now;
    }
}

bool IdleWatch::is_idle(Clock::time_point now) const {
    if (!idle_since_) {
        return false;
    }
    const bool is_after_own_work = worked_ && *idle_since_ - *worked_ <= kOwnEcho;
    return now - *idle_since_ >= (is_after_own_work ? Clock::duration(kShortRest) : kRest);
}

bool IdleWatch::is_never_idle(Clock::time_point now) const {
    return busy_since_ && now - *busy_since_ >= kLong;
}

bool CallGap::look(bool called, Clock::time_point now) {
    if (called) {
        last_call_ = now;
    }
    const bool pauses = !last_call_ || now - *last_call_ >= kPause;
    if (!pauses && !since_) {
        since_ = now;
    }
    const bool has_turn = pauses || now - *since_ >= kLongest;
    if (has_turn && since_) {
        rested_ += now - *since_;
        since_.reset();
    }
    return has_turn;
}

}  // namespace jitune::internal
