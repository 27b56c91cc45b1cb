// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "backend/cuda/driver/driver_device.hpp"
#include "backend/cuda/driver/nccl.hpp"
#include "backend/cuda/launch/cuda_stream_site.hpp"
#include "backend/stream_site.hpp"

namespace jitune::internal {

/// Shared by all groups of a platform.
struct CudaGroups {
    std::mutex mutex;  ///< of StreamGroup::lock(), which guards `peers`
    /// Contexts, the first of which has been let into the memory of the second.
    std::set<std::pair<CUcontext, CUcontext>> peers;
    Nccl nccl;
};

/// A member of a group, and the side of its stream.
struct CudaMember {
    DriverDevice* device;
    CUcontext context;
    const CudaSide* events;
    StreamGroup::Lane stream, side;
};

std::unique_ptr<StreamGroup> make_stream_group(CudaGroups& groups, std::vector<CudaMember> members);

}  // namespace jitune::internal
