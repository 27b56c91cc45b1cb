// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "backend/kernel_inspector.hpp"

namespace jitune::internal {

/// The bytes of each parameter of the kernel with this symbol, in their order, as its section
/// .nv.info.<symbol> says. Nothing for an image that is no cubin, is damaged, or says nothing of
/// the kernel.
std::optional<std::vector<std::int64_t>> cubin_parameters(std::string_view image,
                                                          std::string_view symbol);

/// Reads what ptxas says with -v about the kernel with this symbol: its lines "Function properties
/// for <symbol>", then the bytes of stack and spills, then "Used <n> registers". Nothing if it
/// says nothing about it.
std::optional<KernelResources> read_ptxas_log(std::string_view log, std::string_view symbol);

/// Of GPUs from compute capability 7.5 to 12.1: resources from what ptxas says, parameters
/// from the cubin, occupancy by NVIDIA's calculation in cuda_occupancy.h.
std::unique_ptr<const KernelInspector> make_cuda_inspector();

}  // namespace jitune::internal
