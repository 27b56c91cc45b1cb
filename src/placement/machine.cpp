#include "placement/machine.hpp"

#include <map>
#include <utility>

#include "jitune/error.hpp"
#include "placement/machine_backend.hpp"
#include "placement/placed_operation.hpp"

namespace jitune {

namespace {

/// Placements need no work memory of their own.
class MachineSite final : public StreamSite {
public:
    explicit MachineSite(Backend& backend) : StreamSite(backend) {}
    Scratch scratch(const ScratchNeed& /*need*/) override { return {}; }
    void refuse_capture(const char* /*what*/) const override {}
};

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

/// What another session may find otherwise: no memory, no compiler, a device that is lost.
bool may_pass(ErrorKind kind) {
    return kind != ErrorKind::verify && kind != ErrorKind::usage;
}

std::vector<Backend*> open_gpus(Engine& engine) {
    std::vector<Backend*> gpus;
    if (!has_gpus(engine)) {
        return gpus;
    }
    Platform& cuda = engine.cuda();
    for (int i = 0; i < cuda.device_count(); ++i) {
        try {
            gpus.push_back(&cuda.device(i));
        } catch (const Error& error) {
            engine.log().warning("host memory is not worked on by cuda:{}: {}", i, error.what());
        }
    }
    return gpus;
}

}  // namespace

struct Machine::Opened {
    Opened(Machine& machine, Backend& its_host, std::vector<Backend*> its_gpus)
        : host(its_host), gpus(std::move(its_gpus)), backend(machine, host, gpus) {
        for (const Family& family : machine.engine().families()) {
            if (family.placed != nullptr) {
                kernels.emplace(family.name, family.placed->make_kernel(machine));
            }
        }
    }
    Backend& host;
    std::vector<Backend*> gpus;
    MachineBackend backend;
    MachineSite site{backend};
    std::map<std::string_view, Kernel> kernels;
};

Machine::Machine(Engine& engine) : engine_(engine) {}

Machine::Machine(Engine& engine, Backend& host, std::vector<Backend*> gpus) : engine_(engine) {
    std::call_once(once_,
                   [&] { opened_ = std::make_unique<Opened>(*this, host, std::move(gpus)); });
}

Machine::~Machine() = default;

Machine& Machine::of(Engine& engine) {
    return static_cast<Machine&>(engine.part(
        [](Engine& its) -> std::unique_ptr<EnginePart> { return std::make_unique<Machine>(its); }));
}

Machine::Opened& Machine::opened() {
    std::call_once(once_, [&] {
        opened_ = std::make_unique<Opened>(*this, engine_.host().device(0), open_gpus(engine_));
    });
    return *opened_;
}

Backend& Machine::host() {
    return opened().host;
}

std::span<Backend* const> Machine::gpus() {
    return opened().gpus;
}

Backend& Machine::backend() {
    return opened().backend;
}

StreamSite& Machine::site() {
    return opened().site;
}

const Kernel& Machine::kernel(std::string_view operation) {
    const auto found = opened().kernels.find(operation);
    if (found == opened().kernels.end()) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} is not placed: host memory stays on the host, or goes where "
                                "Options::device names a GPU",
                                operation));
    }
    return found->second;
}

void Machine::prepare_kernels(const std::function<void(Backend& device, bool is_host)>& resolve) {
    const auto try_on = [&](Backend& device, bool is_host) {
        try {
            resolve(device, is_host);
        } catch (const Error& error) {
            const std::string what =
                fmt::format("no kernel for placements on {}: {}", device.info().id, error.what());
            if (is_host && gpus().empty()) {
                throw Error(error.kind(), what);
            }
            if (!is_host && may_pass(error.kind())) {
                throw Error(ErrorKind::unavailable, what);
            }
            engine_.log().warning("{}", what);
        }
    };
    try_on(host(), true);
    for (Backend* gpu : gpus()) {
        try_on(*gpu, false);
    }
}

std::unique_ptr<ReadyLaunch> ready_on_host(Machine& machine, std::span<const std::int64_t> sizes,
                                           const Resolved& resolved) {
    const LaunchRule::Plan plan = resolved.rule.plan(sizes);
    StreamSite& site = machine.engine().host().site(nullptr);
    std::unique_ptr<ReadyLaunch> ready;
    resolved.program->prepare(resolved.rule.bind(plan, site.scratch(plan.scratch)), ready);
    return ready;
}

Backend& device_of(Engine& engine, std::string_view id) {
    return id == "machine" ? Machine::of(engine).backend() : engine.backend(id);
}

StreamSite* host_data_site(Engine& engine) {
    if (engine.keeps_host_data()) {
        return &engine.host().site(nullptr);
    }
    if (engine.options().device != "auto") {
        return nullptr;
    }
    Machine& machine = Machine::of(engine);
    return machine.gpus().empty() ? &engine.host().site(nullptr) : &machine.site();
}

}  // namespace jitune
