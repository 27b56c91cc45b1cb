// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <utility>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/cuda_device.hpp"
#include "backend/cuda/launch/capture.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostSamples = 16;
constexpr std::size_t kMostTimes = 1024;

DriverHandle<CUevent> event_of(const std::shared_ptr<DriverDevice>& device) {
    return {device, &DriverTable::cuEventDestroy};
}

class CudaLaunchTimer final : public LaunchTimer {
public:
    explicit CudaLaunchTimer(std::shared_ptr<DriverDevice> device) : device_(std::move(device)) {}

    [[nodiscard]] bool may_time(Stream stream) override try {
        const DriverTable& driver = device_->driver();
        CaptureState state = CaptureState::none;
        CUcontext context = nullptr;
        if (device_->abandoned()) {
            return false;
        }
        const CUresult result = ask_capture(driver, stream, state);
        if (result == CUDA_ERROR_INVALID_CONTEXT) {
            // A default stream without a current context: the launch will be in the primary
            // context.
            const ContextScope scope(*device_, ContextScope::Primary());
            return ask_capture(driver, stream, state) == CUDA_SUCCESS &&
                   state == CaptureState::none;
        }
        return result == CUDA_SUCCESS && state == CaptureState::none &&
               driver.cuStreamGetCtx(stream, &context) == CUDA_SUCCESS &&
               device_->keep_if_primary(context);
    } catch (const std::exception&) {  // the launch meets the same error, and says so
        return false;
    }

    bool launch(const ReadyLaunch& launch, void* const* arrays, Stream stream,
                std::uint64_t tag) override {
        Sample* const sample = begin(stream, tag);
        const auto end = [&](bool launched) {
            if (sample == nullptr) {
                return false;
            }
            const std::lock_guard lock(mutex_);
            bool timed = false;
            try {
                timed = launched && record(sample->events[2], stream);
            } catch (const std::exception&) {  // the call itself was launched
            }
            sample->state = timed ? Sample::State::ended : Sample::State::free;
            return timed;
        };
        try {
            launch(arrays, stream);
        } catch (...) {
            end(false);
            throw;
        }
        return end(true);
    }

    std::vector<Time> take() override {
        const std::lock_guard lock(mutex_);
        const bool has_any = std::any_of(samples_.begin(), samples_.end(), [](const auto& one) {
            return one->state == Sample::State::ended;
        });
        if (has_any && !device_->abandoned()) {
            try {
                collect();
            } catch (const std::exception&) {  // of a device that is lost: its calls say so
            }
        }
        return std::exchange(times_, {});
    }

private:
    struct Sample {
        explicit Sample(const std::shared_ptr<DriverDevice>& device)
            : events{event_of(device), event_of(device), event_of(device)} {
            for (DriverHandle<CUevent>& event : events) {
                device->call(&DriverTable::cuEventCreate, "time a call", event.out(),
                             CU_EVENT_DEFAULT);
            }
        }

        std::array<DriverHandle<CUevent>, 3> events;
        enum class State { free, launching, ended } state = State::free;
        std::uint64_t tag = 0;
    };

    /// A sample with its first two events on the stream; nullptr: none.
    Sample* begin(Stream stream, std::uint64_t tag) {
        try {
            if (!may_time(stream)) {
                return nullptr;
            }
            const std::lock_guard lock(mutex_);
            Sample* const sample = free_sample();
            if (sample == nullptr || !record(sample->events[0], stream) ||
                !record(sample->events[1], stream)) {
                return nullptr;
            }
            sample->state = Sample::State::launching;
            sample->tag = tag;
            return sample;
        } catch (
            const std::exception&) {  // the call goes on; if it meets the same error, it says so
            return nullptr;
        }
    }

    Sample* free_sample() {
        const auto is_free = [](const auto& one) { return one->state == Sample::State::free; };
        auto found = std::find_if(samples_.begin(), samples_.end(), is_free);
        if (found == samples_.end() && samples_.size() == kMostSamples) {
            collect();
            found = std::find_if(samples_.begin(), samples_.end(), is_free);
            return found == samples_.end() ? nullptr : found->get();
        }
        if (found == samples_.end()) {
            const ContextScope scope(*device_, ContextScope::Primary());
            samples_.push_back(std::make_unique<Sample>(device_));
            found = samples_.end() - 1;
        }
        return found->get();
    }

    [[nodiscard]] bool record(const DriverHandle<CUevent>& event, Stream stream) const {
        const auto record = [&] {
            return device_->driver().cuEventRecordWithFlags(event.get(), stream,
                                                            CU_EVENT_RECORD_DEFAULT);
        };
        CUresult result = record();
        if (result == CUDA_ERROR_INVALID_CONTEXT) {
            const ContextScope scope(*device_, ContextScope::Primary());
            result = record();
        }
        return result == CUDA_SUCCESS;
    }

    /// Moves the times of calls that are over into `times_`.
    void collect() {
        const ContextScope scope(*device_, ContextScope::Primary());
        for (const std::unique_ptr<Sample>& sample : samples_) {
            if (sample->state != Sample::State::ended) {
                continue;
            }
            double ns = 0;
            const CUresult result = elapsed(*sample, ns);
            if (result == CUDA_ERROR_NOT_READY) {
                continue;
            }
            sample->state = Sample::State::free;
            if (result == CUDA_SUCCESS && std::isfinite(ns) && times_.size() < kMostTimes) {
                times_.push_back({sample->tag, std::max(ns, 0.0)});
            }
        }
    }

    [[nodiscard]] CUresult elapsed(const Sample& sample, double& ns) const {
        constexpr double kNanosecondsPerMillisecond = 1e6;
        const DriverTable& driver = device_->driver();
        const auto& [first, second, last] = sample.events;
        float empty_ms = 0;
        float call_ms = 0;
        CUresult result = driver.cuEventElapsedTime(&call_ms, second.get(), last.get());
        if (result == CUDA_SUCCESS) {
            result = driver.cuEventElapsedTime(&empty_ms, first.get(), second.get());
        }
        ns = (static_cast<double>(call_ms) - static_cast<double>(empty_ms)) *
             kNanosecondsPerMillisecond;
        return result;
    }

    std::shared_ptr<DriverDevice> device_;
    std::mutex mutex_;  ///< of what follows
    std::vector<std::unique_ptr<Sample>> samples_;
    std::vector<Time> times_;
};

}  // namespace

std::unique_ptr<LaunchTimer> make_cuda_launch_timer(std::shared_ptr<DriverDevice> device) {
    return std::make_unique<CudaLaunchTimer>(std::move(device));
}

}  // namespace jitune::internal
