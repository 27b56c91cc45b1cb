// SPDX-License-Identifier: Apache-2.0
#include "spread/machine_device.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "spread/placed_call.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kFormat = "placement";

/// "A + 2 x B": the host's text and those of the GPUs. Machines with equal classes share
/// placements.
std::string together(const std::string& host, std::span<Device* const> gpus,
                     std::string DeviceInfo::*text) {
    std::string result = host;
    for (std::size_t i = 0; i < gpus.size();) {
        const std::string& first = gpus[i]->info().*text;
        std::size_t end = i;
        while (end < gpus.size() && gpus[end]->info().*text == first) {
            ++end;
        }
        result += fmt::format(" + {} x {}", end - i, first);
        i = end;
    }
    return result;
}

std::int64_t cores_of(const DeviceInfo& host) {
    const auto found = host.attributes.find("cores");
    return found == host.attributes.end() ? 1 : found->second;
}

/// The last Error(unavailable) of some launches.
class Lack {
public:
    void keep(const Error& error) {
        if (error.kind() == ErrorKind::unavailable) {
            error_ = std::current_exception();
        }
    }
    /// Throws the error that was kept, else returns `result`.
    template <class Result>
    Result or_throw(Result result) {
        if (error_ != nullptr) {
            std::rethrow_exception(std::exchange(error_, nullptr));
        }
        return result;
    }

private:
    std::exception_ptr error_;
};

class WatchedLaunch final : public ReadyLaunch {
public:
    WatchedLaunch(std::unique_ptr<ReadyLaunch> launch, Lack& lack)
        : ReadyLaunch(call), launch_(std::move(launch)), lack_(lack) {}

private:
    static void call(const ReadyLaunch& self, void* const* arrays, Stream stream) {
        const auto& watched = static_cast<const WatchedLaunch&>(self);
        try {
            (*watched.launch_)(arrays, stream);
        } catch (const Error& error) {
            watched.lack_.keep(error);
            throw;
        }
    }

    std::unique_ptr<ReadyLaunch> launch_;
    Lack& lack_;
};

/// A program whose launches are watched. Errors of prepare() are not: the kernels of placements
/// have been made before.
class WatchedProgram final : public Program {
public:
    WatchedProgram(const Program& program, Lack& lack) : program_(program), lack_(lack) {}

    void prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const override {
        std::unique_ptr<ReadyLaunch> made;
        program_.prepare(launch, made);
        ready = std::make_unique<WatchedLaunch>(std::move(made), lack_);
    }

private:
    const Program& program_;
    Lack& lack_;
};

class WatchedTimer final : public Timer {
public:
    WatchedTimer(Bench& host, const Program& program, std::span<const Launch> chain,
                 std::size_t untimed, bool flush_cache)
        : program_(program, lack_), timer_(host.timer(program_, chain, untimed, flush_cache)) {}

    std::variant<double, LaunchFailure> sample(std::chrono::milliseconds limit) override {
        return lack_.or_throw(timer_->sample(limit));
    }

private:
    Lack lack_;
    WatchedProgram program_;
    std::unique_ptr<Timer> timer_;
};

/// The host's bench for placements. If a launch throws Error(unavailable), run() and the timers'
/// sample() throw it, too, and the tuning ends: a GPU without memory says nothing about the
/// placement, and a winner that was found without the GPU must not be stored.
class MachineBench final : public Bench {
public:
    explicit MachineBench(std::unique_ptr<Bench> host) : host_(std::move(host)) {}

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return host_->allocate(bytes);
    }
    void upload(void* device, std::span<const std::byte> data) override {
        host_->upload(device, data);
    }
    void download(std::span<std::byte> data, const void* device) override {
        host_->download(data, device);
    }
    void fill(void* device, std::byte value, std::size_t bytes) override {
        host_->fill(device, value, bytes);
    }
    void copy(void* to, const void* from, std::size_t bytes) override {
        host_->copy(to, from, bytes);
    }
    std::vector<std::uint64_t> checksums(std::span<const MemoryRegion> regions) override {
        return host_checksums(regions);
    }
    bool equal(const void* one, const void* other, std::size_t bytes) override {
        return host_->equal(one, other, bytes);
    }
    std::optional<LaunchFailure> run(const Program& program, const Launch& launch,
                                     std::chrono::milliseconds limit) override {
        Lack lack;
        return lack.or_throw(host_->run(WatchedProgram(program, lack), launch, limit));
    }
    std::unique_ptr<Timer> timer(const Program& program, std::span<const Launch> chain,
                                 std::size_t untimed, bool flush_cache) override {
        return std::make_unique<WatchedTimer>(*host_, program, chain, untimed, flush_cache);
    }
    [[nodiscard]] std::string_view chain_kind() const override { return host_->chain_kind(); }
    std::optional<ClockReading> clocks() override { return host_->clocks(); }
    std::optional<ProcessorUse> processor_use() override { return host_->processor_use(); }

private:
    std::unique_ptr<Bench> host_;
};

}  // namespace

MachineDevice::MachineDevice(Machine& machine, Device& host, std::span<Device* const> gpus)
    : HostMemoryDevice(host), machine_(machine) {
    info_.platform = PlatformKind::machine;
    info_.id = to_string(info_.platform);
    info_.name = together(host.info().name, gpus, &DeviceInfo::name);
    info_.driver = gpus.empty() ? host.info().driver : gpus.front()->info().driver;
    info_.device_class =
        "machine " + together(host.info().device_class, gpus, &DeviceInfo::device_class);
    info_.attributes = {{"cores", cores_of(host.info())},
                        {"gpu_count", static_cast<std::int64_t>(gpus.size())}};
}

std::vector<CompileOutcome> MachineDevice::compile(const TemplateSource& /*source*/,
                                                   std::span<const Instance> instances,
                                                   CompileCall& /*call*/) {
    std::vector<CompileOutcome> outcomes;
    for (const Instance& instance : instances) {
        outcomes.emplace_back(
            Binary{std::string(kFormat),
                   std::make_shared<const std::string>(instance.expressions.front()),
                   {"place"}});
    }
    return outcomes;
}

std::shared_ptr<const Program> MachineDevice::load(const Binary& binary) {
    const auto refuse = [](const std::string& what) {
        throw Error(ErrorKind::device, "load a placement: " + what);
    };
    if (binary.format != kFormat || binary.image == nullptr) {
        refuse(fmt::format("its format is \"{}\", not \"{}\"", binary.format, kFormat));
    }
    const std::string& expression = *binary.image;
    for (const Family& family : machine_.engine().families()) {
        if (family.placed != nullptr &&
            expression.starts_with(fmt::format("jitune::place_{}<", family.name))) {
            try {
                return load_placement(machine_, *family.placed, expression);
            } catch (const Error& error) {  // a value that no call can have: the row is damaged
                refuse(error.what());
            }
        }
    }
    refuse(fmt::format("no family of kernels has the placement \"{:.80}\"", expression));
    return nullptr;
}

std::unique_ptr<Bench> MachineDevice::make_bench() {
    return std::make_unique<MachineBench>(host_.make_bench());
}

const Kernel& kernel_on(const Device& device, std::string_view family,
                        const Kernel& (*builtin)(PlatformKind platform)) {
    const PlatformKind platform = device.info().platform;
    return runs_placements(platform)
               ? static_cast<const MachineDevice&>(device).machine().kernel(family)
               : builtin(platform);
}

}  // namespace jitune::internal
