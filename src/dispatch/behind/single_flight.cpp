// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/single_flight.hpp"

#include <algorithm>

namespace jitune::internal {

SingleFlight::Claim::Claim(SingleFlight& flights, const DispatchKey& key)
    : flights_(flights), key_(key) {
    std::unique_lock lock(flights_.mutex_);
    flights_.changed_.wait(lock, [&] {
        return std::find(flights_.held_.begin(), flights_.held_.end(), key_) ==
               flights_.held_.end();
    });
    flights_.held_.push_back(key_);
}

SingleFlight::Claim::~Claim() {
    {
        const std::lock_guard lock(flights_.mutex_);
        std::erase(flights_.held_, key_);
    }
    flights_.changed_.notify_all();
}

}  // namespace jitune::internal
