// SPDX-License-Identifier: Apache-2.0
#include "spread/placed_call.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dispatch/family.hpp"
#include "spread/machine.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

namespace {

/// The launch of the host's own kernel for the whole array, by the calling thread.
std::unique_ptr<ReadyLaunch> ready_on_host(Machine& machine, const PlacedCall& call) {
    const Resolved& resolved = call.resolve_whole(machine.engine(), machine.host());
    const LaunchRule::Plan plan = resolved.rule.plan(call.sizes());
    StreamSite& site = machine.engine().host().site(nullptr);
    std::unique_ptr<ReadyLaunch> ready;
    resolved.program->prepare(resolved.rule.bind(plan, site.scratch(plan.scratch)), ready);
    return ready;
}

/// A placement with the kernels that it needs for one call, which must outlive it.
class PlacedKernels {
public:
    PlacedKernels(Machine& machine, const Placement& placement, const PlacedCall& call)
        : machine_(machine), placement_(placement), call_(call) {
        if (placement.processors == Placement::Processors::host) {
            host_ = ready_on_host(machine, call);
            return;
        }
        shares_ = placement.shares(machine.gpus(), machine.host(),
                                   [&](Device& device) -> const Resolved& {
                                       return call.resolve_chunks(machine.engine(), device);
                                   });
    }

    void run(void* const* arrays) const {
        if (host_ != nullptr) {
            return (*host_)(arrays, nullptr);
        }
        machine_.pipeline().run(call_.work(arrays), shares_, placement_.chunk_bytes,
                                placement_.staging);
    }

private:
    Machine& machine_;
    Placement placement_;
    const PlacedCall& call_;
    std::vector<DeviceShare> shares_;
    std::unique_ptr<ReadyLaunch> host_;
};

class PlacedLaunch final : public ReadyLaunch {
public:
    PlacedLaunch(Machine& machine, const Placement& placement, std::unique_ptr<PlacedCall> call)
        : ReadyLaunch(run), call_(std::move(call)), kernels_(machine, placement, *call_) {}

private:
    static void run(const ReadyLaunch& self, void* const* arrays, Stream /*stream*/) {
        static_cast<const PlacedLaunch&>(self).kernels_.run(arrays);
    }

    std::unique_ptr<PlacedCall> call_;
    PlacedKernels kernels_;
};

class PlacedProgram final : public Program {
public:
    PlacedProgram(Machine& machine, const PlacedOperation& operation, std::string_view expression)
        : machine_(machine), operation_(operation), expression_(expression) {
        read({1, 1});  // throws for invalid values
    }

    void prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const override {
        std::array<std::int64_t, 2> sizes{1, 1};
        for (std::size_t i = 0; i < operation_.size_arguments.size(); ++i) {
            const std::uint8_t cell = launch.steps[0].arguments[operation_.size_arguments[i]];
            sizes.at(i) = static_cast<std::int64_t>(launch.cells[cell]);
        }
        auto [call, placement] = read(sizes);
        ready = std::make_unique<PlacedLaunch>(machine_, placement, std::move(call));
    }

private:
    using Read = std::pair<std::unique_ptr<PlacedCall>, Placement>;

    Read read(const std::array<std::int64_t, 2>& sizes) const {
        PlacedValues values(expression_);
        auto call =
            operation_.read(values, std::span(sizes).first(operation_.size_arguments.size()));
        return {std::move(call), Placement::read(values)};
    }

    Machine& machine_;
    const PlacedOperation& operation_;
    std::string expression_;
};

/// Only the problem itself is tried: the kernels that placements use have passed the small cases.
class PlacedWorkload final : public Workload {
public:
    PlacedWorkload(Machine& machine, const PlacedOperation& operation)
        : machine_(machine), operation_(operation), workload_(operation.make_workload()) {}

    [[nodiscard]] std::vector<Case> checks(const Problem& /*problem*/) const override { return {}; }

    /// Tunes the kernels that placements use.
    void prepare(const Problem& problem) const override {
        const auto call = operation_.call_of(problem);
        machine_.prepare_kernels([&](Device& device, bool is_host) {
            call->prepare(machine_.engine(), device, is_host);
        });
    }

    [[nodiscard]] Case timed(const Problem& problem) const override {
        return workload_->timed(problem);
    }

private:
    Machine& machine_;
    const PlacedOperation& operation_;
    std::unique_ptr<Workload> workload_;
};

}  // namespace

Kernel make_placed_kernel(Machine& machine, const Family& family) {
    const std::string name =
        fmt::format("{}{}", family.name, template_suffix(PlatformKind::machine));
    return {KernelTemplate(builtin_template(name)),
            std::make_unique<PlacedWorkload>(machine, *family.placed)};
}

std::shared_ptr<const Program> load_placement(Machine& machine, const PlacedOperation& operation,
                                              std::string_view expression) {
    return std::make_shared<PlacedProgram>(machine, operation, expression);
}

void run_placed(Machine& machine, const Placement& placement, const PlacedCall& call,
                void* const* arrays) {
    PlacedKernels(machine, placement, call).run(arrays);
}

}  // namespace jitune::internal
