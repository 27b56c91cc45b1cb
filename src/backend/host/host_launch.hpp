// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "backend/argument_list.hpp"
#include "backend/host/host_program.hpp"

namespace jitune::internal {

/// The steps of a launch with the addresses of all arguments but the arrays. Runs them one after
/// the other on the calling thread.
class HostLaunch final : public ReadyLaunch {
public:
    HostLaunch() : ReadyLaunch(call) {}

    /// Throws Error(device) if the program has no such entry; nothing has changed then.
    void set(const HostProgram& program, const Launch& launch);

private:
    struct Step {
        HostProgram::Entry entry;
        ArgumentList arguments;
    };
    static void call(const ReadyLaunch& self, void* const* arrays, Stream stream);
    static void refuse(std::size_t step, int taken, int given);

    std::size_t step_count_ = 0;
    std::array<Step, kMaxLaunchSteps> steps_;
    Cells cells_{};
};

}  // namespace jitune::internal
