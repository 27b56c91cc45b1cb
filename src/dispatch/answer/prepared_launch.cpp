// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answer/prepared_launch.hpp"

#include <utility>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

std::unique_ptr<DeviceMemory> allocate(Device& device, std::size_t bytes, void*& data) {
    auto memory = bytes == 0 ? nullptr : device.allocate_zeroed(bytes);
    data = memory == nullptr ? nullptr : memory->data();
    return memory;
}

}  // namespace

PreparedLaunch::PreparedLaunch(Engine& engine, Device& device)
    : engine_(&engine), device_(&device) {
    auto nothing = std::make_unique<Serving>();
    nothing->info.device = device.info().id;
    nothing->info.device_name = device.info().name;
    now_ = nothing.get();
    all_.push_back(std::move(nothing));
}

const PreparedLaunch::Serving& PreparedLaunch::serve(const Resolved& answer,
                                                     std::chrono::microseconds waited) const {
    const LaunchRule::Plan plan = answer.rule.plan(sizes_);
    auto made = std::make_unique<Serving>();
    made->answer = &answer;
    made->info = answer.info;
    made->info.pending = engine_->is_pending(key_, sizes_);
    made->info.waited = waited;
    Scratch scratch;
    made->plain = allocate(*device_, plan.scratch.plain, scratch.plain);
    made->zeroed = allocate(*device_, plan.scratch.zeroed, scratch.zeroed);
    answer.program->prepare(answer.rule.bind(plan, scratch), made->launch);
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(made));
    now_.store(all_.back().get(), std::memory_order_release);
    return *all_.back();
}

bool PreparedLaunch::may_renew(Stream stream) const {
    if (!runs_on_gpu(device_->info().platform)) {
        return true;  // no stream captures its launches
    }
    try {
        engine_->cuda().site(stream).refuse_capture("the renewal of a handle");
        return true;
    } catch (const Error&) {  // a captured call launches what the handle has
        return false;
    }
}

const PreparedLaunch::Serving& PreparedLaunch::renewed(const Serving& old, Stream stream) const {
    const Resolved* const found = engine_->table().find(key_, sizes_);
    if (found == nullptr || found == old.answer || !found->is_exchangeable || !may_renew(stream)) {
        return old;
    }
    try {
        return serve(*found, old.info.waited);
    } catch (const Error&) {  // no memory for another one's work memory: the old one goes on
        return old;
    }
}

}  // namespace jitune::internal
