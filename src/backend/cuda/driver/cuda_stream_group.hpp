// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "backend/cuda/driver/cuda_replay.hpp"
#include "backend/cuda/driver/driver_device.hpp"
#include "backend/cuda/driver/nccl.hpp"
#include "backend/cuda/driver/piece_copier.hpp"
#include "backend/stream_site.hpp"

namespace jitune::internal {

/// Shared by all groups of a platform.
struct CudaGroups {
    CudaGroups(std::function<std::shared_ptr<const NcclTable>()> load_nccl, const Log& log)
        : nccl(std::move(load_nccl), log) {}

    std::mutex mutex;  ///< of StreamGroup::lock(), which guards all but `nccl`
    /// By two contexts: whether the first has access to the memory of the second.
    std::map<std::pair<CUcontext, CUcontext>, bool> peers;
    /// Holds nullptr if it cannot be loaded.
    std::optional<std::unique_ptr<const PieceCopier>> copier;
    std::unique_ptr<DeviceMemory> staging;  ///< page-locked
    CudaReplays replays;
    Nccl nccl;
};

std::unique_ptr<StreamGroup> make_stream_group(CudaGroups& groups, std::vector<CudaMember> members);

}  // namespace jitune::internal
