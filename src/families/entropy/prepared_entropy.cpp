// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answer/prepared_launch.hpp"
#include "dispatch/session_access.hpp"
#include "families/entropy/entropy_call.hpp"
#include "jitune/entropy.hpp"
#include "spread/machine.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

struct PreparedEntropyCall::State {
    PreparedLaunch launch;
    EntropyRequest request;
};

namespace {

PreparedLaunch prepared(Engine& engine, Device& device, const EntropyRequest& request) {
    if (request.rows == 0 || request.columns == 0) {
        return {engine, device};
    }
    return {engine, device, EntropyCall(request)};
}

}  // namespace

PreparedEntropyCall::PreparedEntropyCall(Session& session, const EntropyRequest& request,
                                         std::string_view device_id) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    refuse_bad_entropy(request);
    state_.reset(new State{prepared(engine, handle_device(engine, device_id), request), request});
} catch (...) {
    throw_as_error();
}

PreparedEntropyCall::~PreparedEntropyCall() = default;
PreparedEntropyCall::PreparedEntropyCall(PreparedEntropyCall&&) noexcept = default;
PreparedEntropyCall& PreparedEntropyCall::operator=(PreparedEntropyCall&&) noexcept = default;

void PreparedEntropyCall::launch(const void* input, float* output, CUstream_st* stream) const try {
    const State& state = *state_;
    state.launch.refuse_fork();
    if (!state.launch.has_work()) [[unlikely]] {
        return;
    }
    refuse_bad_entropy_data(state.request, input, output);
    state.launch(entropy_arguments(state.request, input, output).data(), stream);
} catch (...) {
    throw_as_error();
}

const DispatchInfo& PreparedEntropyCall::info() const {
    return state_->launch.info();
}

}  // namespace detail
JITUNE_END_NAMESPACE
