// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/driver_device.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

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
