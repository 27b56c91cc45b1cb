// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "dispatch/answer/prepared_launch.hpp"
#include "dispatch/session_access.hpp"
#include "families/reduce/reduce_call.hpp"
#include "jitune/reduce.hpp"
#include "jitune/reduce_shapes.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

struct PreparedReduction::State {
    PreparedLaunch launch;
    ReduceRequest request;  ///< without texts, which are the caller's
    bool checks_offsets;
};

namespace {

PreparedLaunch prepared(Engine& engine, Device& device, const ReduceRequest& request) {
    if (is_empty(request.shape)) {
        nothing_of(request);  // throws for an operation without such a result
        return {engine, device};
    }
    return {engine, device, ReduceCall(request)};
}

}  // namespace

PreparedReduction::PreparedReduction(Session& session, const ReduceRequest& request,
                                     std::string_view device_id) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    refuse_bad_shape(request.shape);
    // "auto" is as Options::device: reductions have no place but the host.
    Device& device = device_id == "auto" ? engine.host().device(0)
                     : device_id.empty() ? engine.cuda().site(nullptr).device()
                                         : engine.device(device_id);
    ReduceRequest kept = request;
    kept.reduction = Reduction(request.reduction.op);
    const bool checks_offsets =
        request.shape.kind == ReduceKind::segments && runs_on_cpu(device.info().platform);
    state_.reset(new State{prepared(engine, device, request), kept, checks_offsets});
} catch (...) {
    throw_as_error();
}

PreparedReduction::~PreparedReduction() = default;
PreparedReduction::PreparedReduction(PreparedReduction&&) noexcept = default;
PreparedReduction& PreparedReduction::operator=(PreparedReduction&&) noexcept = default;

void PreparedReduction::launch(const ReduceData& data, CUstream_st* stream) const try {
    const State& state = *state_;
    state.launch.refuse_fork();
    if (!state.launch.has_work()) [[unlikely]] {
        return write_nothing(state.launch.device(), state.request, data.results, stream);
    }
    refuse_bad_data(state.request, data);
    if (state.checks_offsets) {
        const ReduceShape& shape = state.request.shape;
        refuse_bad_offsets({data.offsets, static_cast<std::size_t>(shape.outer) + 1}, shape.inner);
    }
    state.launch(ReduceArrays(data).data(), stream);
} catch (...) {
    throw_as_error();
}

const DispatchInfo& PreparedReduction::info() const {
    return state_->launch.info();
}

}  // namespace detail
JITUNE_END_NAMESPACE
