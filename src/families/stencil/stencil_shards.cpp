// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "dispatch/session_access.hpp"
#include "dispatch/thrown_error.hpp"
#include "families/stencil/stencil_call.hpp"
#include "spread/shard_call.hpp"

namespace jitune::internal {

namespace {

using detail::ShardData;
using detail::StencilRequest;

Ends ends_of(Boundary boundary) {
    switch (boundary) {
        case Boundary::valid:
            return Ends::valid;
        case Boundary::wrap:
            return Ends::wrap;
        default:
            return Ends::own;
    }
}

class StencilWindows final : public WindowKernel {
public:
    explicit StencilWindows(const StencilRequest& request) : request_(request), weights_(request) {}

    [[nodiscard]] std::string name() const override { return "stencil"; }
    [[nodiscard]] std::size_t input_bytes() const override { return bytes_of(request_.element); }
    [[nodiscard]] std::size_t output_bytes() const override { return bytes_of(request_.element); }
    [[nodiscard]] std::int64_t unit_elements() const override { return 1; }

    const Resolved& resolve(Engine& engine, StreamSite& site, const Array& array) override {
        const StencilRequest request = request_of(array);
        const std::size_t alignment = stencil_alignment(request, array.input, array.output);
        return internal::resolve(engine, site, StencilCall(request, alignment));
    }

    void launch(const StreamGroup::Lane& lane, const Resolved& resolved,
                const Array& array) override {
        const StencilRequest request = request_of(array);
        const std::size_t alignment = stencil_alignment(request, array.input, array.output);
        internal::launch(
            *lane.site, StencilCall(request, alignment, array.input, weights_.data(), array.output),
            resolved, lane.stream);
    }

private:
    [[nodiscard]] StencilRequest request_of(const Array& array) const {
        StencilRequest request = request_;
        request.n = array.units;
        if (array.padded) {
            request.stencil.boundary = Boundary::zero;
        }
        return request;
    }

    StencilRequest request_;
    StencilWeights weights_;
};

}  // namespace

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
    StencilWindows kernel(whole);
    if (stencil_outputs(whole.n, whole.stencil) > 0) {
        run_on_shards(engine, kernel, shards, outputs, whole.stencil.radius,
                      ends_of(whole.stencil.boundary), wanted);
    }
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
