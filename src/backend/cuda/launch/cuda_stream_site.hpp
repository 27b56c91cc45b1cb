// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/driver_device.hpp"
#include "backend/stream_site.hpp"

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

/// A stream of one CUDA device that is not capturing. Its work memory is in the stream's own
/// context; a block that has become too small is kept to the end: work in flight may still use it,
/// and sizes are powers of two, so that all of a stream's together take less than twice its
/// largest. scratch() takes no lock and calls no driver unless it allocates.
class CudaStreamSite final : public StreamSite {
public:
    CudaStreamSite(Device& backend, std::shared_ptr<DriverDevice> device, Stream stream);
    ~CudaStreamSite() override;

    Scratch scratch(const ScratchNeed& need) override;
    void refuse_capture(const char* /*what*/) const override {}

    /// The stream beside this one, made when first asked for. Throws Error(device).
    const CudaSide& side();

private:
    struct Block;

    [[nodiscard]] const Block* current(const ScratchNeed& need) const;
    const Block& grow(const ScratchNeed& need);

    std::shared_ptr<DriverDevice> device_;
    Stream stream_;
    std::atomic<const Block*> block_{nullptr};
    std::mutex mutex_;  // guards what follows
    std::vector<std::unique_ptr<Block>> blocks_;
    std::unique_ptr<const CudaSide> side_;
};

/// All streams of one device that are capturing; or, if `legacy`, its legacy streams while another
/// stream captures, whose capture any launch on them would break.
class CudaCaptureSite final : public StreamSite {
public:
    CudaCaptureSite(Device& backend, bool legacy) : StreamSite(backend), legacy_(legacy) {}

    Scratch scratch(const ScratchNeed& need) override;
    void refuse_capture(const char* what) const override;

private:
    bool legacy_;
};

}  // namespace jitune::internal
