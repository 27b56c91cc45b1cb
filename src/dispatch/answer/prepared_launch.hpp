// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "dispatch/answer/call.hpp"

namespace jitune::internal {

/// A launch with everything slow done ahead and with work memory of its own: what the public
/// prepared handles hold. Its calls only launch, so they can be captured. Calls share the work
/// memory: they must not run at the same time if the kernel needs any.
///
/// A winner that comes later takes the answer's place at the next call outside of a capture, if
/// both give the same bits or the caller asks for no bits in particular
/// (Resolved::is_exchangeable). What a graph has captured stays: nothing is freed before the
/// handle.
class PreparedLaunch {
public:
    /// The answer for `call` on `device`; the arguments of `call` are not used. Throws as resolve()
    /// and Device::allocate_zeroed() do.
    template <KernelCall Call>
    PreparedLaunch(Engine& engine, Device& device, const Call& call)
        : engine_(&engine),
          device_(&device),
          key_(call.table_key(device)),
          sizes_(call.sizes().begin(), call.sizes().end()) {
        const auto start = engine.time().now();
        const Resolved& answer = resolve_prepared(engine, device, call);
        serve(answer,
              std::chrono::duration_cast<std::chrono::microseconds>(engine.time().now() - start));
    }

    /// The handle of a problem without work, which launches nothing.
    PreparedLaunch(Engine& engine, Device& device);

    /// Throws Error(forked) in a process that was forked from that of the engine. Handles ask at
    /// each call.
    void refuse_fork() const { engine_->refuse_fork(); }

    /// False if there is nothing to launch.
    [[nodiscard]] bool has_work() const { return now().launch != nullptr; }

    /// Enqueues the launch, which has work. `arguments` are those of a ReadyLaunch.
    void operator()(void* const* arguments, Stream stream) const {
        const Serving* serving = &now();
        if (serving->answer->is_retired.load(std::memory_order_relaxed) &&
            serving->answer->is_exchangeable) [[unlikely]] {
            serving = &renewed(*serving, stream);
        }
        (*serving->launch)(arguments, stream);
    }

    [[nodiscard]] Device& device() const { return *device_; }
    /// Describes the answer that serves now. The reference stays valid as long as the handle.
    [[nodiscard]] const DispatchInfo& info() const { return now().info; }

private:
    /// An answer with its launch and work memory.
    struct Serving {
        const Resolved* answer = nullptr;
        std::unique_ptr<ReadyLaunch> launch;
        DispatchInfo info;
        std::unique_ptr<DeviceMemory> plain, zeroed;
    };

    [[nodiscard]] const Serving& now() const { return *now_.load(std::memory_order_acquire); }
    const Serving& serve(const Resolved& answer, std::chrono::microseconds waited) const;
    /// Returns the answer that serves on `stream` from now on.
    const Serving& renewed(const Serving& old, Stream stream) const;
    [[nodiscard]] bool may_renew(Stream stream) const;

    Engine* engine_;
    Device* device_;
    DispatchKey key_;
    std::vector<std::int64_t> sizes_;
    mutable std::mutex mutex_;  ///< of all_
    mutable std::vector<std::unique_ptr<const Serving>> all_;
    mutable std::atomic<const Serving*> now_{nullptr};
};

}  // namespace jitune::internal
