// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/platform.hpp"

namespace jitune::internal {

/// The behaviour of a fake candidate, by the name expression of its first launch step.
struct FakeBehaviour {
    double ns = 1000;           ///< of one launch
    double noise = 0;           ///< samples vary by this part of `ns`, up and down in turn
    std::string compile_log{};  ///< not empty: does not compile
    std::string load_error{};   ///< not empty: its image does not load
    std::optional<LaunchFailure> run_failure{};    ///< answer of Bench::run
    std::optional<LaunchFailure> timer_failure{};  ///< answer of Timer::sample
    std::function<void(const Launch&)> run{};      ///< does its work; empty: FakeDevice::kernel
};

/// A device in host memory. "Compiles" instances to an image that names their expressions, runs
/// them by a function and times them as scripted. Script it before it is used.
class FakeDevice : public Device {
public:
    explicit FakeDevice(std::string id = "cuda:0");
    ~FakeDevice() override;

    /// The behaviour of candidates that have none of their own.
    std::function<void(const Launch&)> kernel;
    FakeBehaviour otherwise;
    FakeBehaviour& on(const std::string& expression);
    [[nodiscard]] FakeBehaviour behaviour(const std::string& expression) const;

    std::size_t untimed_launches = 0;                               ///< of the last timer
    std::function<void(std::span<const Instance>)> before_compile;  ///< may throw
    std::function<void()> before_sample;
    std::function<double()> disturbance;  ///< each sample's time is multiplied by its value
    std::string compiler_key_;            ///< empty: code is not worth keeping
    std::function<std::optional<ClockReading>()> clocks;
    std::function<std::optional<double>()> energy;  ///< energy_j(), in any thread
    std::function<std::optional<ProcessorUse>()> processor_use;
    /// Bench::counters() of a kernel, by its expression.
    std::function<CounterOutcome(const std::string&)> counters;
    /// Returns the time of a launch that an app times, by the kernel's expression; "" is a copy.
    /// Empty: no launch is timed.
    std::function<double(const std::string&)> call_ns;
    std::atomic<bool> may_time = true;
    std::atomic<double> use = 0;                                 ///< utilization()
    std::atomic<int> looks = 0;                                  ///< calls of utilization()
    std::atomic<bool> is_called = false;                         ///< take_launched()
    std::atomic<int> call_looks = 0;                             ///< calls of take_launched()
    std::function<std::optional<LaunchFailure>()> fails_in_run;  ///< answer of Bench::run
    std::function<bool()> lost_in_sample;  ///< whether the device is lost in this one
    std::size_t memory_limit = std::size_t{1} << 30;

    [[nodiscard]] int compiles() const { return compiles_; }  ///< instances
    [[nodiscard]] int loads() const { return loads_; }
    [[nodiscard]] int launches() const { return launches_; }  ///< of Program::launch
    [[nodiscard]] int timed_calls() const { return timed_calls_; }
    [[nodiscard]] int runs() const { return runs_; }  ///< of Bench::run
    [[nodiscard]] std::size_t live_bytes() const { return live_bytes_; }
    [[nodiscard]] std::size_t downloaded_bytes() const {
        return downloaded_bytes_;
    }                                                         ///< by benches
    [[nodiscard]] std::vector<std::string> compiled() const;  ///< first expressions, as they came

    /// The only one: its streams are all the same.
    [[nodiscard]] StreamSite& site() { return site_; }
    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    std::string compiler() override { return "fake compiler 1"; }
    std::string compiler_key() override { return compiler_key_; }
    bool has_compiler(const std::string& key) override { return key == compiler_key_; }
    std::vector<CompileOutcome> compile(const TemplateSource& source,
                                        std::span<const Instance> instances,
                                        CompileCall& call) override;
    std::shared_ptr<const Program> load(const Binary& binary) override;
    std::unique_ptr<Bench> make_bench() override;
    std::unique_ptr<LaunchTimer> make_launch_timer() override;
    std::unique_ptr<Queue> make_queue() override;
    std::optional<double> utilization() override {
        ++looks;
        return use < 0 ? std::nullopt : std::optional(use.load());
    }
    bool take_launched() override {
        ++call_looks;
        return is_called;
    }
    std::optional<double> energy_j() override { return energy ? energy() : std::nullopt; }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return allocate_zeroed(bytes);
    }
    std::unique_ptr<DeviceMemory> allocate_zeroed(std::size_t bytes) override;
    void read_back(std::span<std::byte> data, const void* device, Stream stream) override;
    void write(void* device, std::span<const std::byte> value, std::size_t count,
               Stream stream) override;
    void copy(void* to, const void* from, std::size_t bytes, Stream stream) override;

    DeviceInfo info_;

private:
    friend class FakeProgram;
    friend class FakeBench;
    friend class FakeMemory;
    friend class FakeLaunchTimer;

    class Site final : public StreamSite {
    public:
        explicit Site(FakeDevice& device) : StreamSite(device), device_(device) {}
        Scratch scratch(const ScratchNeed& need) override;
        void refuse_capture(const char* /*what*/) const override {}

    private:
        FakeDevice& device_;
    };

    std::map<std::string, FakeBehaviour> behaviours_;
    Site site_{*this};
    mutable std::mutex mutex_;
    std::vector<std::string> compiled_;
    std::unique_ptr<DeviceMemory> plain_, zeroed_;
    std::atomic<int> compiles_{0}, loads_{0}, launches_{0}, runs_{0}, timed_calls_{0};
    std::atomic<std::size_t> live_bytes_{0}, downloaded_bytes_{0};
};

/// Shows fake devices to an Engine. The devices must outlive it.
class FakePlatform : public Platform {
public:
    FakePlatform(PlatformKind kind, std::vector<FakeDevice*> devices)
        : kind_(kind), devices_(std::move(devices)) {}

    [[nodiscard]] PlatformKind kind() const override { return kind_; }
    [[nodiscard]] int device_count() const override { return static_cast<int>(devices_.size()); }
    [[nodiscard]] std::string missing() const override {
        return devices_.empty() ? "no fake device was made" : "";
    }
    Device& device(int ordinal) override { return *devices_.at(static_cast<std::size_t>(ordinal)); }
    StreamSite& site(Stream /*stream*/) override { return devices_.at(0)->site(); }

private:
    PlatformKind kind_;
    std::vector<FakeDevice*> devices_;
};

}  // namespace jitune::internal
