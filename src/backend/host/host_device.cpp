// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_device.hpp"

#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "backend/host/host_compiler.hpp"
#include "backend/host/host_facts.hpp"
#include "backend/host/host_memory.hpp"
#include "backend/host/host_program.hpp"
#include "jitune/error.hpp"
#include "support/hash.hpp"

namespace jitune::internal {
namespace {

/// Reads a clock before and after a call, which ends with its work.
class HostLaunchTimer final : public LaunchTimer {
public:
    [[nodiscard]] bool may_time(Stream /*stream*/) override { return true; }

    bool launch(const ReadyLaunch& launch, void* const* arrays, Stream stream,
                std::uint64_t tag) override {
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

    std::vector<Time> take() override {
        const std::lock_guard lock(mutex_);
        return std::exchange(times_, {});
    }

private:
    std::mutex mutex_;
    std::vector<Time> times_;
};

/// Of which one may be empty and without an address.
void copy_bytes(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) {
        std::memcpy(to, from, bytes);
    }
}

/// The calling thread itself, and host memory for a device's.
class HostQueue final : public Queue {
public:
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return std::make_unique<HostMemory>(bytes, HostMemory::Content::any);
    }
    std::unique_ptr<DeviceMemory> allocate_staging(std::size_t bytes) override {
        return allocate(bytes);
    }
    void upload(void* device, std::span<const std::byte> data) override {
        copy_bytes(device, data.data(), data.size());
    }
    void download(std::span<std::byte> data, const void* device) override {
        copy_bytes(data.data(), device, data.size());
    }
    void fill_zero(void* device, std::size_t bytes) override { std::memset(device, 0, bytes); }
    void launch(const ReadyLaunch& launch, void* const* arrays) override {
        launch(arrays, nullptr);
    }
    void wait() override {}
};

class HostDevice final : public Device {
public:
    HostDevice(DeviceInfo info, Log log) : info_(std::move(info)), log_(std::move(log)) {}

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    std::string compiler() override { return find_compiler()->version(); }
    std::string compiler_key() override { return find_compiler()->key(); }

    bool has_compiler(const std::string& key) override {
        try {
            const std::lock_guard lock(mutex_);
            return key == (compiler_ ? compiler_->key() : host_compiler_key());
        } catch (const Error&) {
            return false;
        }
    }

    std::vector<CompileOutcome> compile(const TemplateSource& source,
                                        std::span<const Instance> instances,
                                        CompileCall& call) override {
        return find_compiler(call.stop)->compile(source, instances, call.stop);
    }

    void expect_compiles(std::size_t /*threads*/, const std::stop_token& stop) override {
        find_compiler(stop);
    }

    std::shared_ptr<const Program> load(const Binary& binary) override {
        if (binary.format != "so" || binary.image == nullptr) {
            throw Error(ErrorKind::device,
                        fmt::format("load compiled code of format \"{}\": the host runs \"so\"",
                                    binary.format));
        }
        return std::make_shared<HostProgram>(find_image(*binary.image), binary.symbols);
    }

    std::unique_ptr<Bench> make_bench() override { return make_host_bench(info_); }
    std::optional<double> utilization() override { return processors_taken(); }
    std::unique_ptr<LaunchTimer> make_launch_timer() override {
        return std::make_unique<HostLaunchTimer>();
    }
    std::unique_ptr<Queue> make_queue() override { return std::make_unique<HostQueue>(); }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return std::make_unique<HostMemory>(bytes, HostMemory::Content::any);
    }
    std::unique_ptr<DeviceMemory> allocate_zeroed(std::size_t bytes) override {
        return std::make_unique<HostMemory>(bytes, HostMemory::Content::zero);
    }
    void read_back(std::span<std::byte> data, const void* device, Stream /*stream*/) override {
        copy_bytes(data.data(), device, data.size());
    }

    void write(void* device, std::span<const std::byte> value, std::size_t count,
               Stream /*stream*/) override {
        for (std::size_t i = 0; i < count; ++i) {
            std::memcpy(static_cast<std::byte*>(device) + i * value.size(), value.data(),
                        value.size());
        }
    }

    void copy(void* to, const void* from, std::size_t bytes, Stream /*stream*/) override {
        std::memcpy(to, from, bytes);
    }

private:
    std::shared_ptr<const HostCompiler> find_compiler(const std::stop_token& stop = {}) {
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

    std::shared_ptr<const HostImage> find_image(const std::string& image) {
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

    DeviceInfo info_;
    Log log_;
    std::mutex mutex_;  ///< of what follows; not held while compiling or loading
    std::shared_ptr<const HostCompiler> compiler_;
    std::map<Digest, std::shared_ptr<const HostImage>> images_;
};

}  // namespace

std::unique_ptr<Device> make_host_device(DeviceInfo info, Log log) {
    return std::make_unique<HostDevice>(std::move(info), std::move(log));
}

}  // namespace jitune::internal
