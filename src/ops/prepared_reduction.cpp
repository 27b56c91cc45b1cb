#include <array>

#include "jitune/reduce.hpp"
#include "ops/reduce_call.hpp"
#include "ops/reduce_kernel.hpp"

namespace jitune::detail {

struct PreparedReduction::State {
    Engine& engine;
    ReduceCall call;
    const Resolved* resolved = nullptr;  // nullptr: n is 0
    DispatchInfo info;
    std::unique_ptr<DeviceMemory> plain, zeroed;
    Scratch scratch;
    LaunchRule::Plan plan;  // without pointers
};

namespace {

std::unique_ptr<DeviceMemory> allocate(Backend& backend, std::size_t bytes, void*& data) {
    auto memory = bytes == 0 ? nullptr : backend.allocate_zeroed(bytes);
    data = memory == nullptr ? nullptr : memory->data();
    return memory;
}

}  // namespace

PreparedReduction::PreparedReduction(Session& session, ElementType type, std::size_t n, ReduceOp op,
                                     std::string_view device) {
    Engine& engine = session.engine();
    engine.refuse_fork();
    const ReduceCall call =
        device.empty() ? cuda_call(engine, type, op, n) : call_on(engine, device, type, op, n);
    state_ = std::make_unique<State>(State{engine, call, nullptr, {}, nullptr, nullptr, {}, {}});
    if (n == 0) {
        const DeviceInfo& info = call.backend.info();
        state_->info = {Origin::template_default, info.id, info.name, ""};
        return;
    }
    const Resolved* known = engine.table().find(call.key());
    state_->resolved = known != nullptr ? known
                                        : &engine.resolve(call.key(), call.backend, call.kernel,
                                                          reduce_problem(type, op, call.n));
    state_->info = state_->resolved->info;
    state_->plan = state_->resolved->rule.plan(std::array{call.n});
    const ScratchNeed& need = state_->plan.scratch;
    state_->plain = allocate(call.backend, need.plain, state_->scratch.plain);
    state_->zeroed = allocate(call.backend, need.zeroed, state_->scratch.zeroed);
}

PreparedReduction::~PreparedReduction() = default;
PreparedReduction::PreparedReduction(PreparedReduction&&) noexcept = default;
PreparedReduction& PreparedReduction::operator=(PreparedReduction&&) noexcept = default;

void PreparedReduction::launch(const void* values, void* result, CUstream_st* stream) const {
    const ReduceCall& call = state_->call;
    state_->engine.refuse_fork();
    if (state_->resolved == nullptr) {
        refuse_bad_pointers(call.type, result, 0, result);
        const auto identity = reduce_identity(call.type, call.op);
        return call.backend.write(result, std::span(identity).first(bytes_of(call.type)), stream);
    }
    refuse_bad_pointers(call.type, values, static_cast<std::size_t>(call.n), result);
    const std::array arrays{const_cast<void*>(values), result};
    state_->resolved->program->launch(
        state_->resolved->rule.bind(state_->plan, arrays, state_->scratch), stream);
}

const DispatchInfo& PreparedReduction::info() const {
    return state_->info;
}

}  // namespace jitune::detail
