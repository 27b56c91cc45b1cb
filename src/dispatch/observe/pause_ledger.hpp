// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "dispatch/answer/dispatch_table.hpp"
#include "jitune/session.hpp"
#include "tuner_db/calls/call_record.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// Keeps which calls had to wait for an answer, and for how long. Thread-safe.
class PauseLedger {
public:
    static constexpr std::chrono::milliseconds kPause{1};  ///< shorter waits are none

    /// Adds that a call of the task has `waited` for `answer`.
    void add(const Task& task, const Resolved& answer, std::chrono::nanoseconds waited);

    /// Fills in the pauses of `counters`.
    void report(Counters& counters) const;

    /// The pauses since the last take().
    std::vector<Pause> take();

private:
    mutable std::mutex mutex_;
    std::int64_t pauses_ = 0;
    std::chrono::nanoseconds longest_{0};
    std::string reason_;
    std::map<sqlite::Row, Pause> new_;  ///< by Pause::place(): those that take() will return
};

}  // namespace jitune::internal
