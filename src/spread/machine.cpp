// SPDX-License-Identifier: Apache-2.0
#include "spread/machine.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "jitune/error.hpp"
#include "spread/machine_device.hpp"
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

bool has_gpus(Engine& engine) {
    try {
        engine.cuda();
        return true;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) {
            throw;
        }
        return false;
    }
}

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

std::vector<Device*> open_gpus(Engine& engine) {
    std::vector<Device*> gpus;
    if (!has_gpus(engine)) {
        return gpus;
    }
    Platform& cuda = engine.cuda();
    for (int i = 0; i < cuda.device_count(); ++i) {
        try {
            gpus.push_back(&cuda.device(i));
        } catch (const Error& error) {
            engine.log().warning("cuda:{} is not used for host memory: {}", i, error.what());
        }
    }
    return gpus;
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

}  // namespace jitune::internal
