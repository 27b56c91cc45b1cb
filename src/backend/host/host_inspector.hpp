// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel_inspector.hpp"

namespace jitune::internal {

/// An inspector that tells the parameters of kernels, and nothing else.
std::unique_ptr<const KernelInspector> make_host_inspector();

}  // namespace jitune::internal
