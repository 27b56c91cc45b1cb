// SPDX-License-Identifier: Apache-2.0
#include "families/stencil/placed_stencil.hpp"

#include "families/stencil/stencil_call.hpp"
#include "families/stencil/stencil_work.hpp"
#include "families/stencil/stencil_workload.hpp"
#include "jitune/error.hpp"
#include "placement/machine.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

namespace {

using detail::StencilRequest;

/// A placement with the kernels that it needs for one size.
class PlacedStencil final : public ReadyLaunch {
public:
    PlacedStencil(Machine& machine, const Placement& placement, const StencilRequest& request)
        : ReadyLaunch(call), machine_(machine), placement_(placement), request_(request) {
        if (placement.processors == Placement::Processors::host) {
            host_ = ready_on_host(
                machine, std::array{request.n},
                resolve_stencil(machine.engine(), machine.host(), request, kFastAlignment));
            return;
        }
        const StencilRequest inner = without_boundary(request);
        shares_ = placement.shares(
            machine.gpus(), machine.host(), [&](Device& device) -> const Resolved& {
                return resolve_stencil(machine.engine(), device, inner, kFastAlignment);
            });
    }

    void run(const void* input, void* weights, void* output) const {
        if (host_ != nullptr) {
            void* const arrays[] = {const_cast<void*>(input), weights, output};
            return (*host_)(arrays, nullptr);
        }
        const StencilWork work(request_, input, weights, output);
        machine_.pipeline().run(work, shares_, placement_.chunk_bytes, placement_.staging);
    }

private:
    static void call(const ReadyLaunch& self, void* const* arrays, Stream /*stream*/) {
        static_cast<const PlacedStencil&>(self).run(arrays[0], arrays[1], arrays[2]);
    }

    Machine& machine_;
    Placement placement_;
    StencilRequest request_;
    std::vector<DeviceShare> shares_;
    std::unique_ptr<ReadyLaunch> host_;
};

class PlacedStencilProgram final : public Program {
public:
    PlacedStencilProgram(Machine& machine, PlacedValues& values) : machine_(machine) {
        const ElementType element = values.element();
        const int radius = values.integer();
        const std::string_view weighting = values.word({"sum", "mean", "weights"});
        const std::string_view boundary = values.word({"valid", "zero", "clamp", "wrap"});
        request_ = stencil_request(element, radius, weighting, boundary);
        placement_ = Placement::read(values);
    }

    void prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const override {
        constexpr std::size_t kSize = 2;
        StencilRequest request = request_;
        request.n = static_cast<std::int64_t>(launch.cells[launch.steps[0].arguments[kSize]]);
        ready = std::make_unique<PlacedStencil>(machine_, placement_, request);
    }

private:
    Machine& machine_;
    StencilRequest request_{};
    Placement placement_;
};

/// Only the problem itself is tried: the kernels that placements use have passed the small cases.
class PlacedStencilWorkload final : public Workload {
public:
    explicit PlacedStencilWorkload(Machine& machine) : machine_(machine) {}

    [[nodiscard]] std::vector<Case> checks(const Problem& /*problem*/) const override { return {}; }

    /// Tunes the kernels that placements use.
    void prepare(const Problem& problem) const override {
        const StencilRequest request = stencil_request(problem);
        machine_.prepare_kernels([&](Device& device, bool is_host) {
            if (is_host) {
                resolve_stencil(machine_.engine(), device, request, kFastAlignment);
            }
            // Resolve for chunks, of which the host gets some, too.
            resolve_stencil(machine_.engine(), device, without_boundary(request), kFastAlignment);
        });
    }

    [[nodiscard]] Case timed(const Problem& problem) const override {
        return StencilWorkload().timed(problem);
    }

private:
    Machine& machine_;
};

std::shared_ptr<const Program> load(Machine& machine, PlacedValues& values) {
    return std::make_shared<PlacedStencilProgram>(machine, values);
}

Kernel make_kernel(Machine& machine) {
    return {KernelTemplate(builtin_template("stencil.machine.cpp")),
            std::make_unique<PlacedStencilWorkload>(machine)};
}

}  // namespace

const PlacedOperation kPlacedStencil{load, make_kernel};

void run_placed_stencil(Machine& machine, const Placement& placement, const StencilRequest& request,
                        const void* input, void* weights, void* output) {
    PlacedStencil(machine, placement, request).run(input, weights, output);
}

}  // namespace jitune::internal
