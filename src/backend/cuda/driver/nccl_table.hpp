// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

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

}  // namespace jitune::internal
