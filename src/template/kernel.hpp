// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "template/kernel_template.hpp"
#include "template/workload.hpp"

namespace jitune::internal {

/// One kernel of one backend: the template, and the workload that its candidates are tried on.
struct Kernel {
    KernelTemplate kernel_template;
    std::unique_ptr<const Workload> workload;
    /// The words from which a worker makes the same kernel, see Family::make_kernel. Empty: no
    /// worker can make it.
    std::vector<std::string> spec = {};
    bool foreign = false;  ///< holds code of a caller's, which may do anything
};

}  // namespace jitune::internal
