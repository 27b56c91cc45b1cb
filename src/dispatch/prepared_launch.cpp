// SPDX-License-Identifier: Apache-2.0
#include "dispatch/prepared_launch.hpp"

namespace jitune::internal {

namespace {

std::unique_ptr<DeviceMemory> allocate(Device& device, std::size_t bytes, void*& data) {
    auto memory = bytes == 0 ? nullptr : device.allocate_zeroed(bytes);
    data = memory == nullptr ? nullptr : memory->data();
    return memory;
}

}  // namespace

PreparedLaunch::PreparedLaunch(Engine& engine, Device& device)
    : engine_(&engine),
      device_(&device),
      info_{Origin::template_default, device.info().id, device.info().name, ""} {}

PreparedLaunch::PreparedLaunch(Engine& engine, Device& device, const Resolved& resolved,
                               std::span<const std::int64_t> sizes)
    : engine_(&engine), device_(&device), info_(resolved.info) {
    const LaunchRule::Plan plan = resolved.rule.plan(sizes);
    Scratch scratch;
    plain_ = allocate(device, plan.scratch.plain, scratch.plain);
    zeroed_ = allocate(device, plan.scratch.zeroed, scratch.zeroed);
    resolved.program->prepare(resolved.rule.bind(plan, scratch), launch_);
}

}  // namespace jitune::internal
