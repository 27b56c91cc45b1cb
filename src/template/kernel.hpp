// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "template/kernel_template.hpp"
#include "template/workload.hpp"

namespace jitune::internal {

/// One kernel of one backend: the template and what its candidates are tried on.
struct Kernel {
    KernelTemplate kernel_template;
    std::unique_ptr<const Workload> workload;
    /// From which a worker makes the same kernel, see Family::make_kernel. Empty: it cannot.
    std::vector<std::string> spec = {};
    bool foreign = false;  ///< holds code of a caller's, which may do anything
};

}  // namespace jitune::internal
