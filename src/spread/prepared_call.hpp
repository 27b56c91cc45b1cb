// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "dispatch/answer/prepared_launch.hpp"
#include "jitune/prepared_call.hpp"

JITUNE_BEGIN_NAMESPACE

/// A launch for the arrays of later calls. A family derives what it keeps for them beside it.
class detail::PreparedCall::State {
public:
    virtual ~State() = default;

    /// Checks the arrays and launches.
    void operator()(const void* in, const std::int64_t* offsets, void* out,
                    internal::Stream stream) const {
        launch.refuse_fork();
        act_(*this, in, offsets, out, stream);
    }

    const internal::PreparedLaunch launch;

protected:
    // No virtual function, whose table is one more cold cache line for each call.
    using Act = void (*)(const State& self, const void* in, const std::int64_t* offsets, void* out,
                         internal::Stream stream);

    /// `call` is not used if there is no work.
    template <internal::KernelCall Call>
    State(Act act, internal::Engine& engine, internal::Device& device, const Call& call,
          bool has_work)
        : launch(has_work ? internal::PreparedLaunch(engine, device, call)
                          : internal::PreparedLaunch(engine, device)),
          act_(act) {}

private:
    Act act_;
};

JITUNE_END_NAMESPACE
