// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "backend/cuda/driver/driver_device.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

/// While it lives, a context of the device is current to the calling thread: the current one, if it
/// is of that device, else the primary one. Also, slow driver calls do not disturb a stream capture
/// of another thread. Its end restores both.
class ContextScope {
public:
    /// Throws Error(device) and leaves everything as it was.
    explicit ContextScope(DriverDevice& device) : current_(device, false), relaxed_(device) {}

    struct Primary {};
    /// Makes the primary context current, also if another context of the device is.
    ContextScope(DriverDevice& device, Primary /*which*/)
        : current_(device, true), relaxed_(device) {}

private:
    class Current {
    public:
        Current(DriverDevice& device, bool primary);
        ~Current();
        Current(const Current&) = delete;
        Current& operator=(const Current&) = delete;

    private:
        DriverDevice& device_;
        bool pushed_ = false;
    };

    class RelaxedCapture {
    public:
        explicit RelaxedCapture(DriverDevice& device);
        ~RelaxedCapture();
        RelaxedCapture(const RelaxedCapture&) = delete;
        RelaxedCapture& operator=(const RelaxedCapture&) = delete;

    private:
        DriverDevice& device_;
        CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
    };

    Current current_;
    RelaxedCapture relaxed_;
};

/// While it lives, the context of `stream` is current to the calling thread. A default stream has
/// the context that is current anyway, if any.
class StreamContext {
public:
    /// Throws Error(device).
    StreamContext(const DriverTable& driver, Stream stream);
    ~StreamContext();
    StreamContext(const StreamContext&) = delete;
    StreamContext& operator=(const StreamContext&) = delete;

private:
    const DriverTable& driver_;
    bool pushed_ = false;
};

/// Owns one thing of the driver's (stream, event, graph, library, memory) and gives it back in its
/// device's context. Empty until the driver has written through out().
template <class Handle>
class DriverHandle {
public:
    using Destroy = CUresult (*)(Handle);

    DriverHandle(std::shared_ptr<DriverDevice> device, Destroy destroy, const char* call)
        : device_(std::move(device)), destroy_(destroy), call_(call) {}
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
        device_->report(destroy_(handle_), call_);
    }

    std::shared_ptr<DriverDevice> device_;
    Destroy destroy_;
    const char* call_;
    Handle handle_{};
};

}  // namespace jitune::internal
