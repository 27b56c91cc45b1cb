// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace jitune::internal {

class DeviceMemory;
class ReadyLaunch;

/// Copies and launches on one device, one after the other, away from the app's streams and whatever
/// context is current. Used by one thread at a time; of the host's device each call returns when
/// its work is done. Memory of a queue may outlive it, not the work that uses it. All throw
/// Error(device), allocations Error(unavailable) if memory runs out.
class Queue {
public:
    Queue() = default;
    virtual ~Queue() = default;
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    virtual std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) = 0;
    /// Host memory from and to which the device copies at its full speed, while the queue goes on:
    /// page-locked.
    virtual std::unique_ptr<DeviceMemory> allocate_staging(std::size_t bytes) = 0;

    /// Copies from and to any host memory. Staging memory must stay until wait().
    virtual void upload(void* device, std::span<const std::byte> data) = 0;
    virtual void download(std::span<std::byte> data, const void* device) = 0;
    virtual void fill_zero(void* device, std::size_t bytes) = 0;
    virtual void launch(const ReadyLaunch& launch, void* const* arrays) = 0;

    /// Returns when all enqueued work is done, also if it throws.
    virtual void wait() = 0;
};

}  // namespace jitune::internal
