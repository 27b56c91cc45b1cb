// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "dispatch/dispatch_table.hpp"

namespace jitune::internal {

/// Lets one thread per key work while the others that want the same key wait. Thread-safe.
class SingleFlight {
public:
    /// Holds `key` for the calling thread; waits while another thread holds it. The lock of the set
    /// itself is not held between construction and destruction.
    class Turn {
    public:
        Turn(SingleFlight& flights, const DispatchKey& key);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

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
