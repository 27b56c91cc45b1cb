// SPDX-License-Identifier: Apache-2.0
#include "spread/machine.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "spread/placed_call.hpp"

namespace jitune::internal {

/// Placements need no work memory of their own.
class MachineSite final : public StreamSite {
public:
    explicit MachineSite(Device& device) : StreamSite(device) {}
    Scratch scratch(const ScratchNeed& /*need*/) override { return {}; }
    void refuse_capture(const char* /*what*/) const override {}
};

namespace {

/// False for errors that every session meets. Others may pass: no memory, no compiler, a lost
/// device.
bool may_pass(ErrorKind kind) {
    return kind != ErrorKind::verify && kind != ErrorKind::usage;
}

bool has_placements(const Engine& engine, std::string_view family) {
    const auto rows = engine.families();
    return std::any_of(rows.begin(), rows.end(), [&](const Family& row) {
        return row.name == family && row.placed != nullptr;
    });
}

std::vector<Device*> open_gpus(Engine& engine) try {
    std::vector<Device*> gpus;
    Platform& cuda = engine.cuda();
    for (int i = 0; i < cuda.device_count(); ++i) {
        try {
            gpus.push_back(&cuda.device(i));
        } catch (const Error& error) {
            engine.log().warning("cuda:{} is not used for host memory: {}", i, error.what());
        }
    }
    return gpus;
} catch (const Error& error) {
    if (error.kind() != ErrorKind::unavailable) {
        throw;
    }
    return {};
}

}  // namespace

struct Machine::Opened {
    Opened(Machine& machine, Device& its_host, std::vector<Device*> its_gpus)
        : host(its_host), gpus(std::move(its_gpus)), device(machine, host, gpus) {
        for (const Family& family : machine.engine().families()) {
            if (family.placed != nullptr) {
                kernels.emplace(family.name, make_placed_kernel(machine, family));
            }
        }
    }
    Device& host;
    std::vector<Device*> gpus;
    MachineDevice device;
    MachineSite site{device};
    std::map<std::string_view, Kernel> kernels;
};

Machine::Machine(Engine& engine) : engine_(engine) {}

Machine::Machine(Engine& engine, Device& host, std::vector<Device*> gpus) : engine_(engine) {
    std::call_once(once_,
                   [&] { opened_ = std::make_unique<Opened>(*this, host, std::move(gpus)); });
}

Machine::~Machine() = default;

Machine& Machine::of(Engine& engine) {
    return engine.part<Machine>();
}

Machine::Opened& Machine::opened() {
    std::call_once(once_, [&] {
        opened_ = std::make_unique<Opened>(*this, engine_.host().device(0), open_gpus(engine_));
    });
    return *opened_;
}

Device& Machine::host() {
    return opened().host;
}

std::span<Device* const> Machine::gpus() {
    return opened().gpus;
}

Device& Machine::device() {
    return opened().device;
}

StreamSite& Machine::site() {
    return opened().site;
}

const Kernel& Machine::kernel(std::string_view family) {
    const auto found = opened().kernels.find(family);
    if (found == opened().kernels.end()) {
        throw Error(ErrorKind::usage,
                    fmt::format("the family \"{}\" has no placements: name the host or a GPU as "
                                "the device",
                                family));
    }
    return found->second;
}

void Machine::prepare_kernels(const std::function<void(Device& device, bool is_host)>& resolve) {
    const auto try_on = [&](Device& device, bool is_host) {
        try {
            resolve(device, is_host);
        } catch (const Error& error) {
            const std::string what =
                fmt::format("placements cannot use {}, which has no kernel: {}", device.info().id,
                            error.what());
            if (is_host && gpus().empty()) {
                throw Error(error.kind(), what, error.native_code());
            }
            if (!is_host && may_pass(error.kind())) {
                throw Error(ErrorKind::unavailable, what, error.native_code());
            }
            engine_.log().warning("{}", what);
        }
    };
    try_on(host(), true);
    for (Device* gpu : gpus()) {
        try_on(*gpu, false);
    }
}

Device& device_of(Engine& engine, std::string_view id) {
    return runs_placements(id) ? Machine::of(engine).device() : engine.device(id);
}

Device& handle_device(Engine& engine, std::string_view id) {
    if (id == "auto") {
        Machine& machine = Machine::of(engine);
        return machine.gpus().empty() ? engine.host().device(0) : machine.device();
    }
    return id.empty() ? engine.cuda().site(nullptr).device() : device_of(engine, id);
}

StreamSite* placed_data_site(Engine& engine, std::string_view family) {
    if (engine.options().device != "auto") {
        return nullptr;
    }
    if (has_placements(engine, family)) {
        Machine& machine = Machine::of(engine);
        if (!machine.gpus().empty()) {
            return &machine.site();
        }
    }
    return &engine.host().site(nullptr);
}

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

const Kernel& kernel_on(const Device& device, std::string_view family,
                        const Kernel& (*builtin)(PlatformKind platform)) {
    const PlatformKind platform = device.info().platform;
    return runs_placements(platform)
               ? static_cast<const MachineDevice&>(device).machine().kernel(family)
               : builtin(platform);
}

}  // namespace jitune::internal
