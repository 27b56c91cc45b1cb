// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_launch.hpp"

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

void HostLaunch::set(const HostProgram& program, const Launch& launch) {
    std::array<HostProgram::Entry, kMaxLaunchSteps> entries{};
    for (std::size_t i = 0; i < launch.step_count; ++i) {
        entries[i] = program.entry(launch.steps[i].entry);
    }
    cells_ = launch.cells;
    step_count_ = launch.step_count;
    for (std::size_t i = 0; i < step_count_; ++i) {
        steps_[i].entry = entries[i];
        steps_[i].arguments.set(launch, launch.steps[i], cells_);
    }
}

void HostLaunch::call(const ReadyLaunch& self, void* const* arrays, Stream /*stream*/) {
    const auto& launch = static_cast<const HostLaunch&>(self);
    for (std::size_t i = 0; i < launch.step_count_; ++i) {
        const Step& step = launch.steps_[i];
        ArgumentList::Addresses arguments;
        step.arguments.fill(arguments, arrays);
        const int taken = step.entry(arguments.data(), step.arguments.count());
        if (taken != step.arguments.count()) [[unlikely]] {
            refuse(i, taken, step.arguments.count());
        }
    }
}

void HostLaunch::refuse(std::size_t step, int taken, int given) {
    throw Error(ErrorKind::device,
                fmt::format("launch step {}: the kernel takes {} arguments, its template's front "
                            "matter gives it {}",
                            step, taken, given));
}

}  // namespace jitune::internal
