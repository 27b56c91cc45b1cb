// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <vector>

#include "backend/launch_timer.hpp"

namespace jitune::internal {

/// Reads a clock before and after a call, which ends with its work.
class HostLaunchTimer final : public LaunchTimer {
public:
    [[nodiscard]] bool may_time(Stream /*stream*/) override { return true; }
    bool launch(const ReadyLaunch& launch, void* const* arrays, Stream stream,
                std::uint64_t tag) override;
    std::vector<Time> take() override;

private:
    std::mutex mutex_;
    std::vector<Time> times_;
};

}  // namespace jitune::internal
