#include "backend/cuda/graph_timer.hpp"

#include <cmath>

#include <fmt/format.h>

#include "backend/cuda/launch_failure.hpp"

namespace jitune {
namespace {

constexpr std::string_view kPreparing = "prepare to time a kernel";
constexpr std::string_view kTiming = "time a kernel";
constexpr double kNanosecondsPerMillisecond = 1e6;

}  // namespace

GraphTimer::GraphTimer(std::shared_ptr<CudaDevice> device, std::shared_ptr<StreamHandle> stream,
                       const CudaProgram& program, std::span<const Launch> chain,
                       std::shared_ptr<const CacheFlush> flush)
    : device_(std::move(device)),
      stream_(std::move(stream)),
      flush_(std::move(flush)),
      launches_(chain.size()),
      graph_(device_, device_->driver().cuGraphDestroy, "cuGraphDestroy"),
      replay_(device_, device_->driver().cuGraphExecDestroy, "cuGraphExecDestroy"),
      begin_(device_, device_->driver().cuEventDestroy, "cuEventDestroy"),
      end_(device_, device_->driver().cuEventDestroy, "cuEventDestroy") {
    if (chain.empty()) {
        throw Error(ErrorKind::usage, "prepare to time a kernel: the chain has no launches");
    }
    const ContextScope scope(*device_);
    device_->check(device_->driver().cuGraphCreate(graph_.out(), 0), "cuGraphCreate", kPreparing);
    CUgraphNode last = nullptr;
    for (const Launch& launch : chain) {
        last = add_launch(program, launch, last);
    }
    instantiate();
}

CUgraphNode GraphTimer::add_launch(const CudaProgram& program, const Launch& launch,
                                   CUgraphNode last) {
    for (std::size_t i = 0; i < launch.step_count; ++i) {
        const LaunchStep& step = launch.steps[i];
        ArgumentPointers arguments = argument_pointers(launch, step);
        CUDA_KERNEL_NODE_PARAMS node{};
        node.kern = program.kernel(step.entry);
        node.gridDimX = step.grid.x;
        node.gridDimY = step.grid.y;
        node.gridDimZ = step.grid.z;
        node.blockDimX = step.block.x;
        node.blockDimY = step.block.y;
        node.blockDimZ = step.block.z;
        node.sharedMemBytes = step.shared_bytes;
        node.kernelParams = arguments.data();
        const CUgraphNode before = last;
        device_->check(device_->driver().cuGraphAddKernelNode(&last, graph_.get(), &before,
                                                              before == nullptr ? 0 : 1, &node),
                       "cuGraphAddKernelNode", kPreparing);
    }
    return last;
}

void GraphTimer::instantiate() {
    const DriverTable& driver = device_->driver();
    device_->check(driver.cuGraphInstantiateWithFlags(replay_.out(), graph_.get(), 0),
                   "cuGraphInstantiate", kPreparing);
    device_->check(driver.cuGraphUpload(replay_.get(), stream_->get()), "cuGraphUpload",
                   kPreparing);
    device_->check(driver.cuEventCreate(begin_.out(), CU_EVENT_DEFAULT), "cuEventCreate",
                   kPreparing);
    device_->check(driver.cuEventCreate(end_.out(), CU_EVENT_DEFAULT), "cuEventCreate", kPreparing);
}

std::optional<LaunchFailure> GraphTimer::failed(CUresult result, const char* call) const {
    if (result == CUDA_SUCCESS) {
        return std::nullopt;
    }
    return launch_failure(device_->driver(), result, call, kTiming);
}

// The first event must not pass before the host has enqueued the rest, or the sample would hold the
// host's time: the flush keeps the device busy meanwhile, else one replay that is not timed, which
// also brings the caches to the state in which they stay.
std::optional<LaunchFailure> GraphTimer::occupy() {
    if (flush_) {
        return failed(flush_->enqueue(stream_->get()), "cuLaunchKernel (cache flush)");
    }
    return failed(device_->driver().cuGraphLaunch(replay_.get(), stream_->get()), "cuGraphLaunch");
}

std::optional<LaunchFailure> GraphTimer::enqueue() {
    const DriverTable& driver = device_->driver();
    auto failure = occupy();
    if (!failure) {
        failure = failed(driver.cuEventRecord(begin_.get(), stream_->get()), "cuEventRecord");
    }
    if (!failure) {
        failure = failed(driver.cuGraphLaunch(replay_.get(), stream_->get()), "cuGraphLaunch");
    }
    if (!failure) {
        failure = failed(driver.cuEventRecord(end_.get(), stream_->get()), "cuEventRecord");
    }
    return failure;
}

std::variant<double, LaunchFailure> GraphTimer::sample(std::chrono::milliseconds limit) {
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
                             .reason = fmt::format("{}: cuEventElapsedTime: {} ms is no time",
                                                   kTiming, milliseconds)};
    }
    return static_cast<double>(milliseconds) * kNanosecondsPerMillisecond /
           static_cast<double>(launches_);
}

}  // namespace jitune
