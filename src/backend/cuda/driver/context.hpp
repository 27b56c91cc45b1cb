// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "backend/cuda/driver/driver_device.hpp"
#include "backend/device.hpp"
#include "jitune/error.hpp"

// The calling thread's context, and what lives in one.

namespace jitune::internal {

/// Makes a context the current one of the calling thread, until it is popped or the object ends.
class PushedContext {
public:
    PushedContext() = default;
    ~PushedContext() { pop(); }
    PushedContext(const PushedContext&) = delete;
    PushedContext& operator=(const PushedContext&) = delete;

    /// Once before each pop(). Throws Error(device) that names `tried`.
    void push(const DriverTable& driver, CUcontext context, std::string_view tried);
    void pop() noexcept;
    [[nodiscard]] bool is_pushed() const { return driver_ != nullptr; }

private:
    const DriverTable* driver_ = nullptr;  ///< null: nothing is pushed
};

/// While it lives, a context of the device is current to the calling thread: the current one, if it
/// is of that device, else the primary one. Also, slow driver calls do not disturb a stream capture
/// of another thread. Its end restores both.
class ContextScope {
public:
    /// Throws Error(device) and leaves everything as it was.
    explicit ContextScope(DriverDevice& device) : ContextScope(device, false) {}

    struct Primary {};
    /// Makes the primary context current, also if another context of the device is.
    ContextScope(DriverDevice& device, Primary /*which*/) : ContextScope(device, true) {}

    ~ContextScope();
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

private:
    ContextScope(DriverDevice& device, bool primary);

    DriverDevice& device_;
    PushedContext pushed_;
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

/// While it lives, the context of `stream` is current to the calling thread. A default stream has
/// the context that is current anyway, if any.
class StreamContext {
public:
    /// Throws Error(device).
    StreamContext(const DriverTable& driver, Stream stream);

private:
    PushedContext pushed_;
};

/// Owns one thing of the driver's (stream, event, graph, library, memory) and gives it back in its
/// device's context. Empty until the driver has written through out().
template <class Handle>
class DriverHandle {
public:
    using Destroy = CUresult (*DriverTable::*)(Handle);

    DriverHandle(std::shared_ptr<DriverDevice> device, Destroy destroy)
        : device_(std::move(device)), destroy_(destroy) {}
    ~DriverHandle() {
        if (handle_ != Handle{} && !device_->abandoned()) {
            give_back();
        }
    }
    DriverHandle(const DriverHandle&) = delete;
    DriverHandle& operator=(const DriverHandle&) = delete;

    [[nodiscard]] Handle get() const { return handle_; }
    Handle* out() { return &handle_; }
    /// Leaves the thing to the context that it lives in, which ends it.
    void leave() { handle_ = Handle{}; }

private:
    void give_back() noexcept {
        std::optional<ContextScope> scope;
        try {
            scope.emplace(*device_);
        } catch (const std::exception&) {
            // Most things can be given back without a context; the driver says so if not.
        }
        device_->try_call(destroy_, handle_);
    }

    std::shared_ptr<DriverDevice> device_;
    Destroy destroy_;
    Handle handle_{};
};

using StreamHandle = DriverHandle<CUstream>;

/// A non-blocking stream in the current context of the device, else the primary one. Throws
/// Error(device).
std::shared_ptr<StreamHandle> make_stream(const std::shared_ptr<DriverDevice>& device);

/// Memory from cuMemAlloc in the current context, else the primary one; `purpose` goes into the
/// message. Throws Error(unavailable) when memory runs out and Error(device) otherwise.
std::unique_ptr<DeviceMemory> allocate_device_memory(const std::shared_ptr<DriverDevice>& device,
                                                     std::size_t bytes, std::string_view purpose);

inline CUdeviceptr device_address(const void* data) {
    return static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(data));
}

}  // namespace jitune::internal
