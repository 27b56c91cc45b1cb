// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "jitune/export.hpp"
#include "jitune/session.hpp"

struct CUstream_st;  // cudaStream_t and CUstream point to this

JITUNE_BEGIN_NAMESPACE
namespace detail {

/// A call of a built-in kernel with everything slow done ahead, with work memory of its own.
class JITUNE_API PreparedCall {
public:
    class State;
    explicit PreparedCall(std::unique_ptr<const State> state);
    ~PreparedCall();
    PreparedCall(PreparedCall&&) noexcept;
    PreparedCall& operator=(PreparedCall&&) noexcept;

    /// `offsets` are those of segments, else null.
    void launch(const void* in, const std::int64_t* offsets, void* out, CUstream_st* stream) const;
    [[nodiscard]] const DispatchInfo& info() const;

private:
    std::unique_ptr<const State> state_;
};

}  // namespace detail
JITUNE_END_NAMESPACE
