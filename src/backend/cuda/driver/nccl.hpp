// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/cuda/driver/driver_table.hpp"
#include "backend/stream_site.hpp"
#include "support/log.hpp"

struct CUstream_st;

namespace jitune::internal {

// The few names of nccl.h that are used, so that the header is not needed to build.
using NcclCommunicator = struct ncclComm*;
inline constexpr int kNcclSuccess = 0;
inline constexpr int kNcclInt8 = 0;

/// NCCL, as functions. Tests put others in their place. Each answers an ncclResult_t.
struct NcclTable {
    const char* (*error_string)(int result) = nullptr;
    int (*init_all)(NcclCommunicator* communicators, int count, const int* devices) = nullptr;
    int (*destroy)(NcclCommunicator communicator) = nullptr;
    int (*group_start)() = nullptr;
    int (*group_end)() = nullptr;
    int (*all_gather)(const void* from, void* to, std::size_t count, int type,
                      NcclCommunicator communicator, CUstream_st* stream) = nullptr;
    int (*broadcast)(const void* from, void* to, std::size_t count, int type, int root,
                     NcclCommunicator communicator, CUstream_st* stream) = nullptr;
};

/// Loads libnccl.so.2 for the life of the process. Throws Error(unavailable).
std::shared_ptr<const NcclTable> load_nccl();

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
