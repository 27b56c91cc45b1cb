// SPDX-License-Identifier: Apache-2.0
#include "spread/prepared_call.hpp"

#include <utility>

#include "dispatch/session_access.hpp"

JITUNE_BEGIN_NAMESPACE
namespace detail {

PreparedCall::PreparedCall(std::unique_ptr<const State> state) : state_(std::move(state)) {}
PreparedCall::~PreparedCall() = default;
PreparedCall::PreparedCall(PreparedCall&&) noexcept = default;
PreparedCall& PreparedCall::operator=(PreparedCall&&) noexcept = default;

void PreparedCall::launch(const void* in, const std::int64_t* offsets, void* out,
                          CUstream_st* stream) const try {
    (*state_)(in, offsets, out, stream);
} catch (...) {
    internal::throw_as_error();
}

const DispatchInfo& PreparedCall::info() const {
    return state_->launch.info();
}

}  // namespace detail
JITUNE_END_NAMESPACE
