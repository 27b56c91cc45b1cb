// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "backend/cuda/driver/driver_table.hpp"
#include "backend/device.hpp"
#include "support/log.hpp"

namespace jitune::internal {

/// One device of the driver. Whatever holds something of the device holds this too, so that the
/// primary context outlives it. Thread-safe.
class DriverDevice {
public:
    /// Throws Error(device).
    DriverDevice(std::shared_ptr<const DriverTable> driver, int ordinal, Log log);
    ~DriverDevice();
    DriverDevice(const DriverDevice&) = delete;
    DriverDevice& operator=(const DriverDevice&) = delete;

    [[nodiscard]] const DriverTable& driver() const { return *driver_; }
    [[nodiscard]] CUdevice handle() const { return handle_; }
    [[nodiscard]] const DeviceInfo& info() const { return info_; }
    [[nodiscard]] std::int64_t attribute(const char* name) const {
        return info_.attributes.at(name);
    }

    /// Retained when first asked for and kept as long as this object; never reset.
    CUcontext primary_context();

    /// True if `context` is the primary one, which then stays as long as this object. Makes none.
    /// Throws Error(device).
    bool keep_if_primary(CUcontext context);

    /// Call it if a kernel hangs: from now on nothing is given back to the driver, because that
    /// would wait for the kernel.
    void abandon() { abandoned_ = true; }
    [[nodiscard]] bool abandoned() const { return abandoned_; }

    /// Set by each call that launches on the device: see Device::take_launched().
    std::atomic<bool>& launched() { return launched_; }

    void check(CUresult result, const char* call, std::string_view tried) const {
        if (result != CUDA_SUCCESS) {
            internal::check(*driver_, result, call, tried);
        }
    }
    /// Calls a function of the driver. Throws Error(device) that names `tried` and the function.
    template <class... Parameters>
    void call(CUresult (*DriverTable::*function)(Parameters...), std::string_view tried,
              std::type_identity_t<Parameters>... arguments) const {
        internal::call(*driver_, function, tried, arguments...);
    }
    /// For destructors: logs instead of throwing.
    template <class... Parameters>
    void try_call(CUresult (*DriverTable::*function)(Parameters...),
                  std::type_identity_t<Parameters>... arguments) const noexcept {
        if (const CUresult result = (*driver_.*function)(arguments...); result != CUDA_SUCCESS) {
            report(result, &(*driver_.*function));
        }
    }

private:
    void report(CUresult result, const void* function) const noexcept;

    std::shared_ptr<const DriverTable> driver_;
    Log log_;
    CUdevice handle_ = 0;
    DeviceInfo info_;
    std::atomic<CUcontext> primary_{nullptr};
    std::atomic<bool> abandoned_{false};
    alignas(64) std::atomic<bool> launched_{false};  ///< in a line of its own, which calls read
};

LaunchFailure launch_failure(const DriverTable& driver, CUresult result, const char* call,
                             std::string_view tried);

/// Waits until `stream` is idle; empty when all its work succeeded. After `limit` the device is
/// given up (DriverDevice::abandon) and the failure is fatal.
std::optional<LaunchFailure> wait_until_idle(DriverDevice& device, Stream stream,
                                             std::chrono::milliseconds limit);

}  // namespace jitune::internal
