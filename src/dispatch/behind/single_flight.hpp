// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "dispatch/answer/dispatch_table.hpp"

namespace jitune::internal {

/// Lets one thread per key work; the others that need the same key wait. Thread-safe.
class SingleFlight {
public:
    /// Holds `key` for the calling thread; the constructor waits while another thread holds it. No
    /// mutex is locked in between.
    class Claim {
    public:
        Claim(SingleFlight& flights, const DispatchKey& key) : flights_(flights), key_(key) {
            std::unique_lock lock(flights_.mutex_);
            flights_.changed_.wait(lock,
                                   [&] { return std::ranges::count(flights_.held_, key_) == 0; });
            flights_.held_.push_back(key_);
        }
        ~Claim() {
            {
                const std::lock_guard lock(flights_.mutex_);
                std::erase(flights_.held_, key_);
            }
            flights_.changed_.notify_all();
        }
        Claim(const Claim&) = delete;
        Claim& operator=(const Claim&) = delete;

    private:
        SingleFlight& flights_;
        DispatchKey key_;
    };

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<DispatchKey> held_;
};

}  // namespace jitune::internal
