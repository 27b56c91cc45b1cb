// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/cuda/driver/context.hpp"
#include "backend/launch_timer.hpp"

namespace jitune::internal {

/// Times a call by three events on its stream: what lies between the first two, which have nothing
/// between them, is taken off what lies between the last two. Times no call on a stream that is
/// captured, that is the legacy one beside a capture, or that is in another context than the
/// device's primary one, and none while all events are in use. If no context is current, a default
/// stream is that of the primary one.
class CudaLaunchTimer final : public LaunchTimer {
public:
    explicit CudaLaunchTimer(std::shared_ptr<DriverDevice> device);

    [[nodiscard]] bool may_time(Stream stream) override;
    bool launch(const ReadyLaunch& launch, void* const* arrays, Stream stream,
                std::uint64_t tag) override;
    std::vector<Time> take() override;

private:
    struct Sample {
        explicit Sample(const std::shared_ptr<DriverDevice>& device);

        std::array<DriverHandle<CUevent>, 3> events;
        enum class State { free, launching, ended } state = State::free;
        std::uint64_t tag = 0;
    };

    /// A sample with its first two events on the stream; nullptr: none.
    Sample* begin(Stream stream, std::uint64_t tag);
    Sample* free_sample();
    [[nodiscard]] bool record(const DriverHandle<CUevent>& event, Stream stream) const;
    /// Moves the times of calls that are over into `times_`.
    void collect();
    [[nodiscard]] CUresult elapsed(const Sample& sample, double& ns) const;

    std::shared_ptr<DriverDevice> device_;
    std::mutex mutex_;  ///< of what follows
    std::vector<std::unique_ptr<Sample>> samples_;
    std::vector<Time> times_;
};

}  // namespace jitune::internal
