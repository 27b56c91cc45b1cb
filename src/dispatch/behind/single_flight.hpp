// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
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
        Claim(SingleFlight& flights, const DispatchKey& key);
        ~Claim();
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
