// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "dispatch/session_access.hpp"
#include "families/reduce/reduce_call.hpp"
#include "jitune/reduce.hpp"
#include "jitune/reduce_shapes.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

struct PreparedReduction::State {
    Engine& engine;
    std::unique_ptr<ReadyLaunch> launch;  // nullptr: no element to combine
    ReduceRequest request;
    bool checks_offsets = false;
    Device& device;
    DispatchInfo info;
    std::unique_ptr<DeviceMemory> plain, zeroed;
};

namespace {

std::unique_ptr<DeviceMemory> allocate(Device& device, std::size_t bytes, void*& data) {
    auto memory = bytes == 0 ? nullptr : device.allocate_zeroed(bytes);
    data = memory == nullptr ? nullptr : memory->data();
    return memory;
}

}  // namespace

PreparedReduction::PreparedReduction(Session& session, const ReduceRequest& request,
                                     std::string_view device_id) {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    refuse_bad_shape(request.shape);
    Device& device =
        device_id.empty() ? engine.cuda().site(nullptr).device() : engine.device(device_id);
    state_ = std::make_unique<State>(
        State{engine, nullptr, request, false, device, {}, nullptr, nullptr});
    if (is_empty(request.shape)) {
        nothing_of(request);
        const DeviceInfo& info = device.info();
        state_->info = {Origin::template_default, info.id, info.name, ""};
        return;
    }
    const DispatchKey key = reduce_key(request, device);
    const Resolved* known = engine.table().find(key);
    const Resolved& resolved =
        known != nullptr ? *known : resolve_reduce(engine, key, device, request);
    state_->info = resolved.info;
    const LaunchRule::Plan plan = resolved.rule.plan(ReduceSizes(request.shape).span());
    Scratch scratch;
    state_->plain = allocate(device, plan.scratch.plain, scratch.plain);
    state_->zeroed = allocate(device, plan.scratch.zeroed, scratch.zeroed);
    resolved.program->prepare(resolved.rule.bind(plan, scratch), state_->launch);
    state_->checks_offsets =
        request.shape.kind == ReduceKind::segments && device.info().platform == PlatformKind::host;
    state_->request.reduction = Reduction(request.reduction.op);  // the rest is the caller's
}

PreparedReduction::~PreparedReduction() = default;
PreparedReduction::PreparedReduction(PreparedReduction&&) noexcept = default;
PreparedReduction& PreparedReduction::operator=(PreparedReduction&&) noexcept = default;

void PreparedReduction::launch(const ReduceData& data, CUstream_st* stream) const {
    const State& state = *state_;
    state.engine.refuse_fork();
    if (state.launch == nullptr) [[unlikely]] {
        return write_nothing(state.device, state.request, data.results, stream);
    }
    refuse_bad_data(state.request, data);
    if (state.checks_offsets) {
        const ReduceShape& shape = state.request.shape;
        refuse_bad_offsets({data.offsets, static_cast<std::size_t>(shape.outer) + 1}, shape.inner);
    }
    (*state.launch)(ReduceArrays(data).span().data(), stream);
}

const DispatchInfo& PreparedReduction::info() const {
    return state_->info;
}

}  // namespace detail
JITUNE_END_NAMESPACE
