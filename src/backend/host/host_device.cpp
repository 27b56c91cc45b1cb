// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_device.hpp"

#include <chrono>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "backend/device.hpp"
#include "backend/host/host_bench.hpp"
#include "backend/host/host_memory.hpp"
#include "backend/launch_timer.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

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

bool HostLaunchTimer::launch(const ReadyLaunch& launch, void* const* arrays, Stream stream,
                             std::uint64_t tag) {
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t kMost = 1024;
    const Clock::time_point begin = Clock::now();
    launch(arrays, stream);
    const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
    const std::lock_guard lock(mutex_);
    if (times_.size() == kMost) {
        return false;
    }
    times_.push_back({tag, time.count()});
    return true;
}

std::vector<LaunchTimer::Time> HostLaunchTimer::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(times_, {});
}

}  // namespace

std::unique_ptr<DeviceMemory> HostQueue::allocate(std::size_t bytes) {
    return std::make_unique<HostMemory>(bytes, HostMemory::Content::any);
}

std::unique_ptr<DeviceMemory> HostQueue::allocate_staging(std::size_t bytes) {
    return allocate(bytes);
}

void HostQueue::upload(void* device, std::span<const std::byte> data) {
    if (!data.empty()) {
        std::memcpy(device, data.data(), data.size());
    }
}

void HostQueue::download(std::span<std::byte> data, const void* device) {
    if (!data.empty()) {
        std::memcpy(data.data(), device, data.size());
    }
}

void HostQueue::fill_zero(void* device, std::size_t bytes) {
    std::memset(device, 0, bytes);
}

void HostQueue::launch(const ReadyLaunch& launch, void* const* arrays) {
    launch(arrays, nullptr);
}

HostDevice::HostDevice(DeviceInfo info, Log log) : info_(std::move(info)), log_(std::move(log)) {}

std::shared_ptr<const HostCompiler> HostDevice::find_compiler(const std::stop_token& stop) {
    {
        const std::lock_guard lock(mutex_);
        if (compiler_) {
            return compiler_;
        }
    }
    auto found = std::make_shared<const HostCompiler>(kCompileTime, stop);
    const std::lock_guard lock(mutex_);
    if (!compiler_) {
        compiler_ = std::move(found);
        log_.debug("host compiler: {}", compiler_->version());
    }
    return compiler_;
}

std::string HostDevice::compiler() {
    return find_compiler()->version();
}

bool HostDevice::has_compiler(const std::string& key) {
    try {
        const std::lock_guard lock(mutex_);
        return key == (compiler_ ? compiler_->key() : host_compiler_key());
    } catch (const Error&) {
        return false;
    }
}

std::vector<CompileOutcome> HostDevice::compile(const TemplateSource& source,
                                                std::span<const Instance> instances,
                                                CompileCall& call) {
    return find_compiler(call.stop)->compile(source, instances, call.stop);
}

std::shared_ptr<const HostImage> HostDevice::find_image(const std::string& image) {
    const Digest digest = Hasher("host image").text(image).digest();
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = images_.find(digest); known != images_.end()) {
            return known->second;
        }
    }
    auto loaded = std::make_shared<const HostImage>(image, digest);
    const std::lock_guard lock(mutex_);
    return images_.emplace(digest, std::move(loaded)).first->second;
}

std::shared_ptr<const Program> HostDevice::load(const Binary& binary) {
    if (binary.format != "so" || binary.image == nullptr) {
        throw Error(ErrorKind::device,
                    fmt::format("load compiled code of format \"{}\": the host runs \"so\"",
                                binary.format));
    }
    return std::make_shared<HostProgram>(find_image(*binary.image), binary.symbols);
}

std::unique_ptr<Bench> HostDevice::make_bench() {
    return std::make_unique<HostBench>(info_);
}

std::unique_ptr<LaunchTimer> HostDevice::make_launch_timer() {
    return std::make_unique<HostLaunchTimer>();
}

std::unique_ptr<Queue> HostDevice::make_queue() {
    return std::make_unique<HostQueue>();
}

std::unique_ptr<DeviceMemory> HostDevice::allocate(std::size_t bytes) {
    return std::make_unique<HostMemory>(bytes, HostMemory::Content::any);
}

std::unique_ptr<DeviceMemory> HostDevice::allocate_zeroed(std::size_t bytes) {
    return std::make_unique<HostMemory>(bytes, HostMemory::Content::zero);
}

void HostDevice::read_back(std::span<std::byte> data, const void* device, Stream /*stream*/) {
    if (!data.empty()) {
        std::memcpy(data.data(), device, data.size());
    }
}

void HostDevice::write(void* device, std::span<const std::byte> value, std::size_t count,
                       Stream /*stream*/) {
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(static_cast<std::byte*>(device) + i * value.size(), value.data(), value.size());
    }
}

void HostDevice::copy(void* to, const void* from, std::size_t bytes, Stream /*stream*/) {
    std::memcpy(to, from, bytes);
}

}  // namespace jitune::internal
