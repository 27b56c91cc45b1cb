// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answer/prepared_launch.hpp"
#include "dispatch/session_access.hpp"
#include "families/stencil/stencil_call.hpp"
#include "jitune/error.hpp"
#include "jitune/stencil.hpp"
#include "spread/machine.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

struct PreparedStencilCall::State {
    PreparedLaunch launch;
    StencilRequest request;  ///< without weights, which are the caller's
    StencilWeights weights;
};

namespace {

PreparedLaunch prepared(Engine& engine, Device& device, const StencilRequest& request) {
    if (stencil_outputs(request.n, request.stencil) == 0) {
        return {engine, device};
    }
    return {engine, device, StencilCall(request, kFastAlignment)};
}

}  // namespace

PreparedStencilCall::PreparedStencilCall(Session& session, const StencilRequest& request,
                                         std::string_view device_id) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    const StencilWeights weights(request);
    StencilRequest kept = request;
    kept.stencil.weights = {};
    state_.reset(
        new State{prepared(engine, handle_device(engine, device_id), request), kept, weights});
} catch (...) {
    throw_as_error();
}

PreparedStencilCall::~PreparedStencilCall() = default;
PreparedStencilCall::PreparedStencilCall(PreparedStencilCall&&) noexcept = default;
PreparedStencilCall& PreparedStencilCall::operator=(PreparedStencilCall&&) noexcept = default;

void PreparedStencilCall::launch(const void* input, void* output, CUstream_st* stream) const try {
    State& state = *state_;
    state.launch.refuse_fork();
    if (!state.launch.has_work()) [[unlikely]] {
        return;
    }
    refuse_bad_stencil_data(state.request, input, output);
    if (stencil_alignment(state.request, input, output) != kFastAlignment) {
        throw Error(ErrorKind::usage,
                    "prepared stencil: both pointers must be aligned to 16 bytes: call "
                    "tuned_stencil for others");
    }
    void* const arguments[] = {const_cast<void*>(input), state.weights.data(), output};
    state.launch(arguments, stream);
} catch (...) {
    throw_as_error();
}

const DispatchInfo& PreparedStencilCall::info() const {
    return state_->launch.info();
}

}  // namespace detail
JITUNE_END_NAMESPACE
