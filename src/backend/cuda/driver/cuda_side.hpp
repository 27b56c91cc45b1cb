// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/cuda/driver/driver_handle.hpp"

namespace jitune::internal {

/// A stream beside another of the same context, and the events by which the two wait for each
/// other. It has a high priority, because its work is short and others wait for it.
class CudaSide {
public:
    /// Makes it in the calling thread's current context, else in the device's primary one. Throws
    /// Error(device).
    explicit CudaSide(const std::shared_ptr<DriverDevice>& device);
    /// Destroys the stream and its events in the primary context, which is kept until then. In an
    /// app's own context, which may be gone, they end with that context.
    ~CudaSide();
    CudaSide(const CudaSide&) = delete;
    CudaSide& operator=(const CudaSide&) = delete;

    [[nodiscard]] CUstream stream() const { return stream_.get(); }
    [[nodiscard]] CUevent forked() const { return forked_.get(); }
    [[nodiscard]] CUevent joined() const { return joined_.get(); }

private:
    DriverHandle<CUstream> stream_;
    DriverHandle<CUevent> forked_, joined_;
    bool in_primary_ = false;
};

}  // namespace jitune::internal
