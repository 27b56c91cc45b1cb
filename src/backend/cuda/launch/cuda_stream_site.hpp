// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/driver_device.hpp"
#include "backend/stream_site.hpp"

namespace jitune::internal {

/// A stream beside another of the same context, and the events by which these and the streams of
/// other devices wait for each other.
class CudaSide {
public:
    /// Makes it in the calling thread's current context, else in the device's primary one. The
    /// driver takes the priority that is nearest to the given one. Throws Error(device).
    CudaSide(const std::shared_ptr<DriverDevice>& device, int priority);
    /// Destroys the stream and its events in the primary context, which is kept until then. In an
    /// app's own context, which may be gone, they end with that context.
    ~CudaSide();
    CudaSide(const CudaSide&) = delete;
    CudaSide& operator=(const CudaSide&) = delete;

    [[nodiscard]] CUstream stream() const { return stream_.get(); }
    [[nodiscard]] CUevent forked() const { return forked_.get(); }
    [[nodiscard]] CUevent sent() const { return sent_.get(); }
    [[nodiscard]] CUevent joined() const { return joined_.get(); }
    [[nodiscard]] bool is_in_primary() const { return in_primary_; }

private:
    DriverHandle<CUstream> stream_;
    DriverHandle<CUevent> forked_, sent_, joined_;
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

    /// Streams beside this one: the side of groups, for short work that others wait for, and two
    /// that stand for the stream and for the side while a call is captured.
    enum class Beside { side, captured, captured_side };

    /// Made when first asked for. Throws Error(device).
    const CudaSide& side(Beside which = Beside::side);

private:
    struct Block;

    [[nodiscard]] const Block* current(const ScratchNeed& need) const;
    const Block& grow(const ScratchNeed& need);

    std::shared_ptr<DriverDevice> device_;
    Stream stream_;
    std::atomic<const Block*> block_{nullptr};
    std::mutex mutex_;  // guards what follows
    std::vector<std::unique_ptr<Block>> blocks_;
    std::array<std::unique_ptr<const CudaSide>, 3> sides_;
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
