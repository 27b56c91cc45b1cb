// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "template/kernel_template.hpp"

namespace jitune::internal {

/// What a file of recorded results (T4) says is worth trying first.
class Hints {
public:
    Hints() = default;
    /// Reads the file. Throws Error(usage) as read_t4() does.
    explicit Hints(std::filesystem::path file);

    /// SearchPlan::hints: the fastest configurations of the file, at most 20, that are legal for
    /// the problem on the device. None without a file. Throws Error(usage) where the file's
    /// parameters are not the kernel's.
    [[nodiscard]] std::vector<std::string> for_problem(const KernelTemplate& kernel,
                                                       const Problem& problem,
                                                       const DeviceInfo& device) const;

private:
    std::filesystem::path file_;
    std::vector<std::string> names_;           ///< of the parameters, sorted
    std::vector<std::string> configurations_;  ///< that worked, fastest first
};

}  // namespace jitune::internal
