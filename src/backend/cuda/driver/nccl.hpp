// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/cuda/driver/driver_table.hpp"
#include "backend/cuda/driver/nccl_table.hpp"
#include "backend/stream_group.hpp"
#include "support/log.hpp"

namespace jitune::internal {

/// NCCL's communicators, one set for each list of devices that asked for one, made when first
/// needed. Thread-safe.
class Nccl {
public:
    using Communicators = std::vector<NcclCommunicator>;

    Nccl(std::function<std::shared_ptr<const NcclTable>()> load, Log log);
    ~Nccl();
    Nccl(const Nccl&) = delete;
    Nccl& operator=(const Nccl&) = delete;

    /// One communicator for each device, or none if NCCL is missing or refuses them, which is
    /// logged once. Takes a second or more the first time. Devices must differ.
    const Communicators& communicators(const std::vector<int>& devices);

    /// As StreamGroup::all_gather, on these streams. Throws Error(device) with NCCL's answer.
    void all_gather(const Communicators& communicators, std::span<const Stream> streams,
                    std::span<void* const> arrays, std::span<const ByteRange> ranges) const;

private:
    Communicators make(const std::vector<int>& devices);
    void check(int result, const char* call) const;

    std::function<std::shared_ptr<const NcclTable>()> load_;
    Log log_;
    std::mutex mutex_;  // guards what follows
    bool loaded_ = false;
    std::shared_ptr<const NcclTable> table_;
    std::map<std::vector<int>, Communicators> known_;
};

}  // namespace jitune::internal
