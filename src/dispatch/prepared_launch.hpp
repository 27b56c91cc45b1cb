// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "dispatch/call.hpp"

namespace jitune::internal {

/// A launch with everything slow done ahead and with work memory of its own: what the public
/// prepared handles hold. Its calls only launch, so they can be captured. Calls share the work
/// memory: they must not run at the same time if the kernel needs any.
class PreparedLaunch {
public:
    /// The answer for `call` on `device`; the arguments of `call` are not used. Throws as resolve()
    /// and Device::allocate_zeroed() do.
    template <KernelCall Call>
    PreparedLaunch(Engine& engine, Device& device, const Call& call)
        : PreparedLaunch(engine, device, resolve_prepared(engine, device, call), call.sizes()) {}

    /// Of a problem without work, which launches nothing.
    PreparedLaunch(Engine& engine, Device& device);

    /// Throws Error(forked) in a process that was forked from that of the engine. Handles ask at
    /// each call.
    void refuse_fork() const { engine_->refuse_fork(); }

    /// False if there is nothing to launch.
    [[nodiscard]] bool has_work() const { return launch_ != nullptr; }

    /// Enqueues the launch, which has work. `arguments` are those of a ReadyLaunch.
    void operator()(void* const* arguments, Stream stream) const { (*launch_)(arguments, stream); }

    [[nodiscard]] Device& device() const { return *device_; }
    [[nodiscard]] const DispatchInfo& info() const { return info_; }

private:
    PreparedLaunch(Engine& engine, Device& device, const Resolved& resolved,
                   std::span<const std::int64_t> sizes);

    Engine* engine_;
    Device* device_;
    std::unique_ptr<ReadyLaunch> launch_;
    DispatchInfo info_;
    std::unique_ptr<DeviceMemory> plain_, zeroed_;
};

}  // namespace jitune::internal
