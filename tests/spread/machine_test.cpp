// SPDX-License-Identifier: Apache-2.0
// A machine whose GPU, in whose place is a host backend, lacks something for a while.

#include "spread/machine.hpp"
#include "families/families.hpp"

#include "backend/host/host_device.hpp"
#include "backend/host/host_facts.hpp"
#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "fixtures/expect_error.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

std::unique_ptr<Device> host_device() {
    return make_host_device(describe_host(this_host()), Log(LogLevel::off));
}

class FullQueue final : public Queue {
public:
    std::unique_ptr<DeviceMemory> allocate(std::size_t /*bytes*/) override {
        throw Error(ErrorKind::unavailable, "the GPU's memory is full");
    }
    std::unique_ptr<DeviceMemory> allocate_staging(std::size_t bytes) override {
        return host_->allocate_staging(bytes);
    }
    void upload(void* /*device*/, std::span<const std::byte> /*data*/) override {}
    void download(std::span<std::byte> /*data*/, const void* /*device*/) override {}
    void fill_zero(void* /*device*/, std::size_t /*bytes*/) override {}
    void launch(const ReadyLaunch& /*launch*/, void* const* /*arrays*/) override {}
    void wait() override {}

private:
    std::unique_ptr<Queue> host_ = host_device()->make_queue();
};

struct ItsHost {
    std::unique_ptr<Device> device = host_device();
};

class PoorGpu final : private ItsHost, public HostMemoryDevice {
public:
    PoorGpu() : HostMemoryDevice(*device) {}

    bool is_full = false;
    std::optional<ErrorKind> trouble;  ///< of its compiler

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    std::string compiler() override { return host_.compiler(); }
    std::vector<CompileOutcome> compile(const TemplateSource& source,
                                        std::span<const Instance> instances,
                                        CompileCall& call) override {
        if (trouble) {
            throw Error(*trouble, "the GPU's compiler is out of order");
        }
        return host_.compile(source, instances, call);
    }
    std::shared_ptr<const Program> load(const Binary& binary) override {
        return host_.load(binary);
    }
    std::unique_ptr<Bench> make_bench() override { return host_.make_bench(); }
    std::unique_ptr<Queue> make_queue() override {
        return is_full ? std::make_unique<FullQueue>() : host_.make_queue();
    }

private:
    static DeviceInfo describe() {
        DeviceInfo info = describe_host(this_host());
        info.device_class += " poor";  // its kernels are not the host's
        return info;
    }

    DeviceInfo info_ = describe();
};

class MachineTest : public testing::Test {
protected:
    MachineTest() {
        options_.database = dir_.path() / "tuning.db";
        options_.on_miss = TunePolicy::now;
        options_.budget = std::chrono::milliseconds(200);
        options_.log_sink = [this](LogLevel level, std::string_view text) {
            if (level == LogLevel::warning) {
                const std::lock_guard lock(warnings_mutex_);
                warnings_ += std::string(text) + "\n";
            }
        };
    }

    /// A session of its own with the same database.
    struct Place {
        Place(const Options& options, Device& gpu)
            : engine(options, families()), host_(engine.host()) {
            machine = std::make_unique<Machine>(engine, host_.device(0), std::vector{&gpu});
        }
        ~Place() { engine.finish(); }  // which may tune a kernel of the machine
        Engine engine;
        std::unique_ptr<Machine> machine;

    private:
        Platform& host_;
    };

    DispatchInfo resolve() {
        Place place(options_, gpu_);
        Device& device = place.machine->device();
        static_cast<void>(resolve_entropy(place.engine, device, kRequest));
        while (place.engine.counters().pending > 0 && !has_warned()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return resolve_entropy(place.engine, device, kRequest).info;
    }

    bool has_warned() {
        const std::lock_guard lock(warnings_mutex_);
        return warnings_.find("without tuning") != std::string::npos;
    }

    /// Whether a placement is kept as the winner.
    bool is_stored() {
        Place place(options_, gpu_);
        const auto winners = place.engine.store()->winners();
        return std::any_of(winners.begin(), winners.end(),
                           [](const Winner& winner) { return winner.image_format == "placement"; });
    }

    static constexpr detail::EntropyRequest kRequest{ElementType::float32, 600, 500, {}};
    TempDir dir_;
    Options options_;
    std::string warnings_;
    std::mutex warnings_mutex_;
    PoorGpu gpu_;
};

TEST_F(MachineTest, StoresNoWinnerWhileTheCompilerOfAGpuFails) {
    for (const ErrorKind kind : {ErrorKind::unavailable, ErrorKind::compile, ErrorKind::device}) {
        gpu_.trouble = kind;
        warnings_.clear();
        const DispatchInfo info = resolve();
        EXPECT_EQ(info.origin, Origin::template_default);
        EXPECT_TRUE(info.configuration.starts_with("processors=host")) << info.configuration;
        EXPECT_NE(warnings_.find("the GPU's compiler is out of order"), std::string::npos)
            << warnings_;
        EXPECT_FALSE(is_stored());
    }
    gpu_.trouble.reset();
    warnings_.clear();
    EXPECT_EQ(resolve().origin, Origin::tuned);
    EXPECT_TRUE(is_stored());
}

TEST_F(MachineTest, StoresNoWinnerWhileTheMemoryOfAGpuIsFull) {
    options_.on_miss = TunePolicy::template_default;  // for the kernels
    const auto tune = [&] {
        Place place(options_, gpu_);
        const Kernel& kernel = place.machine->kernel("entropy");
        place.engine.tuner().tune({place.machine->device(), kernel, entropy_problem(kRequest)},
                                  {.strategy = "exhaustive", .max_evaluations = 2});
    };
    gpu_.is_full = true;
    expect_error(ErrorKind::unavailable, "memory is full", tune);
    EXPECT_FALSE(is_stored());
    gpu_.is_full = false;
    tune();
    EXPECT_TRUE(is_stored());
}

}  // namespace
}  // namespace jitune::internal
