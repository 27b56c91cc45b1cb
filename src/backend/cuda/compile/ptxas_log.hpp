// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "backend/kernel_inspector.hpp"

namespace jitune::internal {

/// Reads what ptxas says with -v about the kernel with this symbol: its lines "Function properties
/// for <symbol>", then the bytes of stack and spills, then "Used <n> registers". Nothing if it
/// says nothing about it.
std::optional<KernelResources> read_ptxas_log(std::string_view log, std::string_view symbol);

}  // namespace jitune::internal
