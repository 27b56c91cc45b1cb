// SPDX-License-Identifier: Apache-2.0
// The stencil of arrays that are cut into bands: host memory for placements, shards on several
// GPUs.

#include "families/stencil/stencil_bands.hpp"

#include <array>

#include "dispatch/session_access.hpp"
#include "families/stencil/stencil_call.hpp"
#include "families/stencil/stencil_kernel.hpp"
#include "spread/halo_plan.hpp"
#include "spread/machine.hpp"
#include "spread/shard_call.hpp"

namespace jitune::internal {

namespace {

using detail::ShardData;
using detail::StencilRequest;

Ends ends_of(Boundary boundary) {
    switch (boundary) {
        case Boundary::valid:
            return Ends::valid;
        case Boundary::zero:
            return Ends::zero;
        case Boundary::clamp:
            return Ends::clamp;
        case Boundary::wrap:
            return Ends::wrap;
    }
    return Ends::own;  // of an invalid value, which has been refused
}

Windows windows_of(const StencilRequest& request) {
    const std::size_t bytes = bytes_of(request.element);
    return {"stencil", bytes, bytes, 1, request.stencil.radius, ends_of(request.stencil.boundary)};
}

/// The stencil that a device is given: without a boundary, for inputs that staging has extended at
/// both ends as the boundary says. Its weights, if any, are zeros.
StencilRequest without_boundary(const StencilRequest& request) {
    const Stencil& stencil = request.stencil;
    StencilRequest result = stencil_request(request.element, stencil.radius, weighting_of(stencil),
                                            to_string(Boundary::valid));
    result.n = stencil_outputs(request.n, stencil) + 2 * std::int64_t{stencil.radius};
    return result;
}

class PlacedStencil final : public PlacedCall {
public:
    explicit PlacedStencil(const StencilRequest& request)
        : request_(request), chunks_(without_boundary(request)) {}

    [[nodiscard]] std::span<const std::int64_t> sizes() const override { return {&request_.n, 1}; }

    [[nodiscard]] const Resolved& resolve_whole(Engine& engine, Device& device) const override {
        return resolve_stencil(engine, device, request_, kFastAlignment);
    }
    [[nodiscard]] const Resolved& resolve_chunks(Engine& engine, Device& device) const override {
        return resolve_stencil(engine, device, chunks_, kFastAlignment);
    }
    void prepare(Engine& engine, Device& device, bool is_host) const override {
        if (is_host) {
            static_cast<void>(resolve_whole(engine, device));
        }
        // The host, too, gets chunks.
        static_cast<void>(resolve_chunks(engine, device));
    }

    [[nodiscard]] HostWork work(void* const* arrays) const override {
        return {windows_of(request_), request_.n, LaunchSizes{}, arrays};
    }

private:
    StencilRequest request_;
    StencilRequest chunks_;
};

std::unique_ptr<PlacedCall> read_stencil(PlacedValues& values,
                                         std::span<const std::int64_t> sizes) {
    const ElementType element = values.element();
    const int radius = values.integer();
    const std::string_view weighting = values.word({"sum", "mean", "weights"});
    const std::string_view boundary = values.word({"valid", "zero", "clamp", "wrap"});
    StencilRequest request = stencil_request(element, radius, weighting, boundary);
    request.n = sizes[0];
    return std::make_unique<PlacedStencil>(request);
}

std::unique_ptr<PlacedCall> placed_stencil_of(const Problem& problem) {
    return std::make_unique<PlacedStencil>(stencil_request(problem));
}

std::unique_ptr<Workload> make_stencil_workload() {
    return std::make_unique<StencilWorkload>();
}

constexpr std::size_t kStencilSizes[] = {2};

}  // namespace

const PlacedOperation kPlacedStencil{read_stencil, placed_stencil_of, make_stencil_workload,
                                     kStencilSizes};

void run_placed_stencil(Machine& machine, const Placement& placement, const StencilRequest& request,
                        const void* input, void* weights, void* output) {
    void* const arrays[] = {const_cast<void*>(input), weights, output};
    run_placed(machine, placement, PlacedStencil(request), arrays);
}

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

void stencil_shards(Session& session, const StencilRequest& request,
                    std::span<const ShardData> shards, std::span<void* const> outputs,
                    ShardOutput wanted) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    StencilRequest whole = request;
    whole.n = count_of("stencil", shards, outputs.size());
    StencilWeights weights(whole);
    if (stencil_outputs(whole.n, whole.stencil) == 0) {
        return;
    }
    StencilRequest piece = whole;
    ShardCalls kernel([&](const UnitArray& array) {
        piece.n = array.units;
        piece.stencil.boundary = array.padded ? Boundary::zero : whole.stencil.boundary;
        return StencilCall(piece, stencil_alignment(piece, array.input, array.output), array.input,
                           weights.data(), array.output);
    });
    run_on_shards(engine, kernel, windows_of(whole), shards, outputs, wanted);
} catch (...) {
    throw_as_error();
}

std::vector<std::int64_t> stencil_shard_outputs(std::span<const ShardData> shards,
                                                const Stencil& stencil) try {
    std::vector<std::int64_t> counts;
    for (const ShardData& shard : shards) {
        counts.push_back(shard.count);
    }
    const std::int64_t n = count_of("stencil", shards, shards.size());
    std::vector<std::int64_t> outputs(counts.size());
    if (stencil_outputs(n, stencil) > 0) {
        const auto plans = halo_plan(counts, stencil.radius, ends_of(stencil.boundary));
        for (std::size_t i = 0; i < plans.size(); ++i) {
            outputs[i] = plans[i].outputs;
        }
    }
    return outputs;
} catch (...) {
    throw_as_error();
}

}  // namespace detail

JITUNE_END_NAMESPACE
