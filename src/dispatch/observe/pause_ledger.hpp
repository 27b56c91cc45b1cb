// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "dispatch/answer/dispatch_table.hpp"
#include "jitune/session.hpp"
#include "tuner_db/calls/usage.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// Which calls had to wait for an answer, and for how long. Thread-safe.
class PauseLedger {
public:
    static constexpr std::chrono::milliseconds kPause{1};  ///< shorter waits are none

    /// A call of the task has `waited` for `answer`.
    void add(const Task& task, const Resolved& answer, std::chrono::nanoseconds waited);

    /// Fills in the pauses of `counters`.
    void report(Counters& counters) const;

    /// The pauses since the last take().
    std::vector<Pause> take();
    /// Puts back what take() has returned, for the next one.
    void put_back(const std::vector<Pause>& pauses);

private:
    void add_new(const Pause& pause);

    mutable std::mutex mutex_;
    std::int64_t pauses_ = 0;
    std::chrono::nanoseconds longest_{0};
    std::string reason_;
    /// By Pause::kPlace: those that take() will return.
    std::map<std::tuple<std::string, std::string, std::string, std::string>, Pause> new_;
};

}  // namespace jitune::internal
