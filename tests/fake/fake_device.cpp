// SPDX-License-Identifier: Apache-2.0
#include "fake/fake_device.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kAlignment = 256;

std::string image_text(const Instance& instance) {
    return fmt::format("[{}]", fmt::join(instance.expressions, ";"));
}

}  // namespace

class FakeMemory : public DeviceMemory {
public:
    FakeMemory(FakeDevice& device, std::size_t bytes, std::byte value)
        : device_(device), bytes_(bytes) {
        if (device_.live_bytes_ + bytes > device_.memory_limit) {
            throw Error(ErrorKind::unavailable, fmt::format("allocate {} bytes: none left", bytes));
        }
        data_ = ::operator new (std::max(bytes, std::size_t{1}), std::align_val_t{kAlignment});
        std::memset(data_, static_cast<int>(value), bytes);
        device_.live_bytes_ += bytes;
    }
    ~FakeMemory() override {
        ::operator delete (data_, std::align_val_t{kAlignment});
        device_.live_bytes_ -= bytes_;
    }
    FakeMemory(const FakeMemory&) = delete;
    FakeMemory& operator=(const FakeMemory&) = delete;

    [[nodiscard]] void* data() const override { return data_; }
    [[nodiscard]] std::size_t bytes() const override { return bytes_; }

private:
    FakeDevice& device_;
    std::size_t bytes_;
    void* data_ = nullptr;
};

class FakeProgram : public Program {
public:
    FakeProgram(FakeDevice& device, const std::string& expression)
        : device_(device), expression_(expression), behaviour_(device.behaviour(expression)) {}

    void prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const override;

    void launch_once(const Launch& launch) const {
        ++device_.launches_;
        if (behaviour_.run_failure) {
            throw Error(ErrorKind::device, behaviour_.run_failure->reason);
        }
        work(launch);
    }

    void work(const Launch& launch) const {
        (behaviour_.run ? behaviour_.run : device_.kernel)(launch);
    }

    [[nodiscard]] const FakeBehaviour& behaviour() const { return behaviour_; }
    [[nodiscard]] const std::string& expression() const { return expression_; }

private:
    FakeDevice& device_;
    const std::string expression_;
    FakeBehaviour behaviour_;
};

namespace {

class FakeLaunch : public ReadyLaunch {
public:
    FakeLaunch(const FakeProgram& program, const Launch& launch)
        : ReadyLaunch(call), program_(program), launch_(launch) {}

    [[nodiscard]] const std::string& expression() const { return program_.expression(); }

private:
    static void call(const ReadyLaunch& self, void* const* arrays, Stream) {
        const auto& fake = static_cast<const FakeLaunch&>(self);
        Launch bound = fake.launch_;
        for (std::size_t i = 0; i < bound.array_count; ++i) {
            bound.cells[bound.array_cells[i]] = reinterpret_cast<std::uintptr_t>(arrays[i]);
        }
        fake.program_.launch_once(bound);
    }

    const FakeProgram& program_;
    Launch launch_;
};

}  // namespace

void FakeProgram::prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const {
    ready = std::make_unique<FakeLaunch>(*this, launch);
}

/// The outputs of a bench.
struct FakeWrites {
    int timers = 0;    ///< how many the bench has made
    bool own = false;  ///< the last to write was a candidate with a function of its own
};

namespace {

class FakeTimer : public Timer {
public:
    FakeTimer(const FakeDevice& device, const FakeProgram& program, std::span<const Launch> chain,
              FakeWrites& writes)
        : device_(device),
          program_(program),
          behaviour_(program.behaviour()),
          chain_(chain.begin(), chain.end()),
          writes_(writes) {
        ++writes_.timers;
    }

    std::variant<double, LaunchFailure> sample(std::chrono::milliseconds) override {
        if (device_.before_sample) {
            device_.before_sample();
        }
        if (device_.lost_in_sample && device_.lost_in_sample()) {
            return LaunchFailure{false, true, "the device fell off the bus"};
        }
        if (behaviour_.timer_failure) {
            return *behaviour_.timer_failure;
        }
        // Outputs stay until a new timer clears them: to write the same ones again would take time.
        // What a candidate with a function of its own writes may differ.
        const bool own = static_cast<bool>(behaviour_.run);
        if (worked_at_ != writes_.timers || own || writes_.own) {
            worked_at_ = writes_.timers;
            writes_.own = own;
            std::for_each(chain_.begin(), chain_.end(),
                          [&](const Launch& launch) { program_.work(launch); });
        }
        up_ = !up_;
        const double factor = device_.disturbance ? device_.disturbance() : 1;
        return factor * behaviour_.ns * (up_ ? 1 + behaviour_.noise : 1 - behaviour_.noise);
    }

private:
    const FakeDevice& device_;
    const FakeProgram& program_;  // outlives its timers
    const FakeBehaviour& behaviour_;
    const std::vector<Launch> chain_;
    FakeWrites& writes_;
    int worked_at_ = 0;
    bool up_ = false;
};

}  // namespace

class FakeBench : public Bench {
public:
    explicit FakeBench(FakeDevice& device) : device_(device) {}

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return std::make_unique<FakeMemory>(device_, bytes, std::byte{0x5c});
    }
    void upload(void* device, std::span<const std::byte> data) override {
        std::memcpy(device, data.data(), data.size());
    }
    void download(std::span<std::byte> data, const void* device) override {
        std::memcpy(data.data(), device, data.size());
        device_.downloaded_bytes_ += data.size();
    }
    void fill(void* device, std::byte value, std::size_t bytes) override {
        std::memset(device, static_cast<int>(value), bytes);
    }
    void copy(void* to, const void* from, std::size_t bytes) override {
        std::memcpy(to, from, bytes);
    }
    std::vector<std::uint64_t> checksums(std::span<const MemoryRegion> regions) override {
        return host_checksums(regions);
    }
    bool equal(const void* one, const void* other, std::size_t bytes) override {
        return std::memcmp(one, other, bytes) == 0;
    }

    std::optional<LaunchFailure> run(const Program& program, const Launch& launch,
                                     std::chrono::milliseconds) override {
        ++device_.runs_;
        if (device_.fails_in_run) {
            if (auto failure = device_.fails_in_run()) {
                return failure;
            }
        }
        const auto& fake = dynamic_cast<const FakeProgram&>(program);
        if (!fake.behaviour().run_failure) {
            fake.work(launch);
        }
        return fake.behaviour().run_failure;
    }

    std::optional<ClockReading> clocks() override {
        return device_.clocks ? device_.clocks() : std::nullopt;
    }
    CounterOutcome counters(const Program& program, const Launch& launch) override {
        return device_.counters
                   ? device_.counters(dynamic_cast<const FakeProgram&>(program).expression())
                   : Bench::counters(program, launch);
    }
    std::optional<ProcessorUse> processor_use() override {
        return device_.processor_use ? device_.processor_use() : std::nullopt;
    }

    std::unique_ptr<Timer> timer(const Program& program, std::span<const Launch> chain,
                                 std::size_t untimed, bool) override {
        device_.untimed_launches = untimed;
        return std::make_unique<FakeTimer>(device_, dynamic_cast<const FakeProgram&>(program),
                                           chain, writes_);
    }

private:
    FakeDevice& device_;
    FakeWrites writes_;
};

/// Device memory is host memory.
class FakeQueue : public Queue {
public:
    explicit FakeQueue(FakeDevice& device) : device_(device) {}

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return device_.allocate(bytes);
    }
    std::unique_ptr<DeviceMemory> allocate_staging(std::size_t bytes) override {
        return device_.allocate(bytes);
    }
    void upload(void* device, std::span<const std::byte> data) override {
        std::memcpy(device, data.data(), data.size());
    }
    void download(std::span<std::byte> data, const void* device) override {
        std::memcpy(data.data(), device, data.size());
    }
    void fill_zero(void* device, std::size_t bytes) override { std::memset(device, 0, bytes); }
    void launch(const ReadyLaunch& launch, void* const* arrays) override {
        launch(arrays, nullptr);
    }
    void wait() override {}

private:
    FakeDevice& device_;
};

std::unique_ptr<Queue> FakeDevice::make_queue() {
    return std::make_unique<FakeQueue>(*this);
}

class FakeLaunchTimer : public LaunchTimer {
public:
    explicit FakeLaunchTimer(FakeDevice& device) : device_(device) {}

    [[nodiscard]] bool may_time(Stream /*stream*/) override { return device_.may_time; }
    bool launch(const ReadyLaunch& launch, void* const* arrays, Stream stream,
                std::uint64_t tag) override {
        launch(arrays, stream);
        ++device_.timed_calls_;
        const std::lock_guard lock(mutex_);
        const auto* const fake = dynamic_cast<const FakeLaunch*>(&launch);
        times_.push_back({tag, device_.call_ns(fake == nullptr ? "" : fake->expression())});
        return true;
    }
    std::vector<Time> take() override {
        const std::lock_guard lock(mutex_);
        return std::exchange(times_, {});
    }

private:
    FakeDevice& device_;
    std::mutex mutex_;
    std::vector<Time> times_;
};

std::unique_ptr<LaunchTimer> FakeDevice::make_launch_timer() {
    return call_ns ? std::make_unique<FakeLaunchTimer>(*this) : nullptr;
}

FakeDevice::FakeDevice(std::string id) {
    info_.name = "Fake";
    info_.driver = "fake driver 1";  // and no UUID: no lock
    info_.device_class = id.substr(0, id.find(':')) + " fake";
    info_.platform = id.starts_with("host") ? PlatformKind::host : PlatformKind::cuda;
    info_.id = std::move(id);
    info_.attributes = {
        {"sm_count", 4},          {"warp_size", 32},  {"max_threads_per_block", 1024},
        {"l2_bytes", 1 << 20},    {"cores", 4},       {"max_threads_per_sm", 2048},
        {"cache_bytes", 1 << 20}, {"simd_bytes", 32}, {"max_blocks_per_sm", 32}};
}

FakeDevice::~FakeDevice() = default;

FakeBehaviour& FakeDevice::on(const std::string& expression) {
    return behaviours_.try_emplace(expression, otherwise).first->second;
}

FakeBehaviour FakeDevice::behaviour(const std::string& expression) const {
    const auto found = behaviours_.find(expression);
    return found == behaviours_.end() ? otherwise : found->second;
}

std::vector<std::string> FakeDevice::compiled() const {
    const std::lock_guard lock(mutex_);
    return compiled_;
}

std::vector<CompileOutcome> FakeDevice::compile(const TemplateSource&,
                                                std::span<const Instance> instances, CompileCall&) {
    if (before_compile) {
        before_compile(instances);
    }
    compiles_ += static_cast<int>(instances.size());
    const std::lock_guard lock(mutex_);
    auto image = std::make_shared<std::string>();
    for (const Instance& instance : instances) {
        compiled_.push_back(instance.expressions.front());
        *image += image_text(instance);
    }
    std::vector<CompileOutcome> outcomes;
    for (const Instance& instance : instances) {
        const std::string log = behaviour(instance.expressions.front()).compile_log;
        if (log.empty()) {
            outcomes.emplace_back(Binary{"cubin", image, instance.expressions});
        } else {
            outcomes.emplace_back(CompileFailure{log});
        }
    }
    return outcomes;
}

std::shared_ptr<const Program> FakeDevice::load(const Binary& binary) {
    ++loads_;
    const std::string wanted = image_text({binary.symbols});
    if (binary.format != "cubin" || binary.image->find(wanted) == std::string::npos) {
        throw Error(ErrorKind::device, "load: the image does not have " + wanted);
    }
    if (const auto error = behaviour(binary.symbols.front()).load_error; !error.empty()) {
        throw Error(ErrorKind::device, error);
    }
    return std::make_shared<FakeProgram>(*this, binary.symbols.front());
}

std::unique_ptr<Bench> FakeDevice::make_bench() {
    return std::make_unique<FakeBench>(*this);
}

Scratch FakeDevice::Site::scratch(const ScratchNeed& need) {
    const std::lock_guard lock(device_.mutex_);
    const auto reserve = [this](std::unique_ptr<DeviceMemory>& memory, std::size_t bytes) {
        if (memory == nullptr || memory->bytes() < bytes) {
            memory = device_.allocate_zeroed(bytes);
        }
        return memory->data();
    };
    return {reserve(device_.plain_, need.plain), reserve(device_.zeroed_, need.zeroed)};
}

std::unique_ptr<DeviceMemory> FakeDevice::allocate_zeroed(std::size_t bytes) {
    return std::make_unique<FakeMemory>(*this, bytes, std::byte{0});
}

void FakeDevice::read_back(std::span<std::byte> data, const void* device, Stream) {
    std::memcpy(data.data(), device, data.size());
}

void FakeDevice::write(void* device, std::span<const std::byte> value, std::size_t count, Stream) {
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(static_cast<std::byte*>(device) + i * value.size(), value.data(), value.size());
    }
}

void FakeDevice::copy(void* to, const void* from, std::size_t bytes, Stream) {
    std::memcpy(to, from, bytes);
}

}  // namespace jitune::internal
