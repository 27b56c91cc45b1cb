// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/measure/graph_timer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/launch/capture.hpp"
#include "backend/cuda/launch/launch_failure.hpp"

namespace jitune::internal {
namespace {

constexpr std::size_t kSmallestBuffer = std::size_t{64} << 20U;
constexpr std::size_t kWordBytes = 16;

std::size_t buffer_bytes(const DriverDevice& device) {
    const auto l2_bytes = static_cast<std::size_t>(device.attribute("l2_bytes"));
    return std::max(4 * l2_bytes, kSmallestBuffer);
}

constexpr std::string_view kPreparing = "prepare to time a kernel";
constexpr std::string_view kTiming = "time a kernel";
constexpr double kNanosecondsPerMillisecond = 1e6;

}  // namespace

CacheFlush::CacheFlush(const std::shared_ptr<DriverDevice>& device, ServiceCode& code,
                       Stream stream)
    : buffer_(allocate_device_memory(device, buffer_bytes(*device),
                                     "allocate the buffer that flushes the L2 cache")),
      sink_(allocate_device_memory(device, sizeof(std::uint32_t), "allocate the flush's sink")),
      kernel_(device, code, "read_flush") {
    const ContextScope scope(*device);
    device->check(device->driver().cuMemsetD8Async(device_address(buffer_->data()), 0,
                                                   buffer_->bytes(), stream),
                  "cuMemsetD8Async", "fill the buffer that flushes the L2 cache");
}

CUresult CacheFlush::enqueue(Stream stream) const {
    return kernel_.enqueue({device_address(buffer_->data()), buffer_->bytes() / kWordBytes, 0,
                            device_address(sink_->data())},
                           stream);
}

GraphTimer::GraphTimer(std::shared_ptr<DriverDevice> device, std::shared_ptr<StreamHandle> stream,
                       const CudaProgram& program, std::span<const Launch> chain,
                       std::size_t untimed, std::shared_ptr<const CacheFlush> flush)
    : device_(std::move(device)),
      stream_(std::move(stream)),
      flush_(std::move(flush)),
      launches_(chain.size() - untimed),
      graph_(device_, device_->driver().cuGraphDestroy, "cuGraphDestroy"),
      replay_(device_, device_->driver().cuGraphExecDestroy, "cuGraphExecDestroy"),
      begin_(device_, device_->driver().cuEventDestroy, "cuEventDestroy"),
      end_(device_, device_->driver().cuEventDestroy, "cuEventDestroy") {
    require_timed(chain, untimed);
    const ContextScope scope(*device_);
    make_events();
    flaw_ = capture(program, chain.first(untimed), chain.subspan(untimed));
    if (!flaw_) {
        flaw_ = instantiate();
    }
}

void GraphTimer::make_events() {
    const DriverTable& driver = device_->driver();
    device_->check(driver.cuEventCreate(begin_.out(), CU_EVENT_DEFAULT), "cuEventCreate",
                   kPreparing);
    device_->check(driver.cuEventCreate(end_.out(), CU_EVENT_DEFAULT), "cuEventCreate", kPreparing);
}

// The events are nodes of the graph: between a launch and events on the stream lie some
// microseconds of the graph's own start.
std::optional<LaunchFailure> GraphTimer::capture(const CudaProgram& program,
                                                 std::span<const Launch> untimed,
                                                 std::span<const Launch> timed) {
    StreamCapture capture(*device_, stream_->get(), kPreparing);
    std::optional<LaunchFailure> failure;
    const auto launch = [&](const Launch& one) {
        if (!failure) {
            failure = failed(program.try_launch(one, stream_->get()), "cuLaunchKernelEx");
        }
    };
    const auto record = [&](const DriverHandle<CUevent>& event) {
        if (!failure) {
            failure = failed(device_->driver().cuEventRecordWithFlags(event.get(), stream_->get(),
                                                                      CU_EVENT_RECORD_EXTERNAL),
                             "cuEventRecordWithFlags");
        }
    };
    std::for_each(untimed.begin(), untimed.end(), launch);
    record(begin_);
    std::for_each(timed.begin(), timed.end(), launch);
    record(end_);
    return failure ? failure : failed(capture.end(graph_.out()), "cuStreamEndCapture");
}

std::optional<LaunchFailure> GraphTimer::instantiate() {
    const DriverTable& driver = device_->driver();
    auto failure = failed(driver.cuGraphInstantiateWithFlags(replay_.out(), graph_.get(), 0),
                          "cuGraphInstantiate");
    if (!failure) {
        failure = failed(driver.cuGraphUpload(replay_.get(), stream_->get()), "cuGraphUpload");
    }
    return failure;
}

std::optional<LaunchFailure> GraphTimer::failed(CUresult result, const char* call) const {
    if (result == CUDA_SUCCESS) {
        return std::nullopt;
    }
    return launch_failure(device_->driver(), result, call, kTiming);
}

std::optional<LaunchFailure> GraphTimer::enqueue() {
    std::optional<LaunchFailure> failure;
    if (flush_) {
        failure = failed(flush_->enqueue(stream_->get()), "cuLaunchKernelEx (cache flush)");
    }
    if (!failure) {
        failure =
            failed(device_->driver().cuGraphLaunch(replay_.get(), stream_->get()), "cuGraphLaunch");
    }
    return failure;
}

std::variant<double, LaunchFailure> GraphTimer::sample(std::chrono::milliseconds limit) {
    if (flaw_) {
        return *flaw_;
    }
    const ContextScope scope(*device_);
    if (auto failure = enqueue()) {
        return *failure;
    }
    if (auto failure = wait_until_idle(*device_, stream_->get(), limit)) {
        return *failure;
    }
    float milliseconds = 0;
    const CUresult result =
        device_->driver().cuEventElapsedTime(&milliseconds, begin_.get(), end_.get());
    if (auto failure = failed(result, "cuEventElapsedTime")) {
        return *failure;
    }
    if (!std::isfinite(milliseconds) || milliseconds <= 0) {
        return LaunchFailure{.timed_out = false,
                             .fatal = false,
                             .reason = fmt::format("{}: cuEventElapsedTime: invalid time of {} ms",
                                                   kTiming, milliseconds)};
    }
    return static_cast<double>(milliseconds) * kNanosecondsPerMillisecond /
           static_cast<double>(launches_);
}

}  // namespace jitune::internal
