// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/compile_for.hpp"
#include "backend/kernel_inspector.hpp"

namespace jitune::internal {

/// A device that a template is checked for. It need not be there.
struct CheckDevice {
    DeviceInfo info;
    CompileFor compile;                                     ///< thread-safe
    std::shared_ptr<const KernelInspector> inspector = {};  ///< null: nothing tells of its code
};

}  // namespace jitune::internal
