// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "backend/compile_for.hpp"
#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "backend/cuda/driver/nccl.hpp"
#include "backend/cuda/driver/nvml_reader.hpp"
#include "backend/cuda/measure/counter_profiler.hpp"
#include "backend/platform.hpp"

namespace jitune::internal {

/// Where the platform gets its functions from, each when first needed. May throw
/// Error(unavailable).
struct CudaTables {
    std::function<std::shared_ptr<const DriverTable>()> driver = load_driver;
    std::function<std::shared_ptr<const NvrtcTable>()> nvrtc = load_nvrtc;
    std::function<std::shared_ptr<const NvmlTable>()> nvml = load_nvml;
    std::function<std::shared_ptr<const NcclTable>()> nccl = load_nccl;
    std::function<std::shared_ptr<const CuptiTable>()> cupti = load_cupti;
};

/// Calls cuInit when first asked for devices. Compiles by `compiler`, if it is not null.
std::unique_ptr<Platform> make_cuda_platform(const Log& log,
                                             std::shared_ptr<RemoteCompiler> compiler = nullptr);
std::unique_ptr<Platform> make_cuda_platform(CudaTables tables, const Log& log,
                                             std::shared_ptr<RemoteCompiler> compiler = nullptr);

}  // namespace jitune::internal
