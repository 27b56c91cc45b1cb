// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "template/kernel.hpp"

namespace jitune::internal {

/// One problem of a sweep, of any kernel.
struct SweepProblem {
    Problem problem;
    /// The kernel that solves it on a device; it must outlive the sweep.
    std::function<const Kernel&(const Device& device)> kernel;
    std::string name;  ///< "float32 sum 2^20"
    double bytes = 0;  ///< that one launch reads and writes; 0: not known
    /// The sizes that winners are searched for; nothing: the problem's own sizes.
    std::optional<SizeBox> domain = std::nullopt;
    /// Without a domain: searches winners for the sizes around the problem's, too, as for a call.
    /// Skipped if a sure winner serves the problem.
    bool around = false;
    bool anew = false;  ///< with `around`: also if a winner serves it
    /// If this is another tuning of an earlier problem of the sweep: the place of that problem. It
    /// is not counted again.
    std::optional<std::size_t> again_of = std::nullopt;
    double budget_part = 1;  ///< of the plan's budget, or of the usual one if that has no limit
};

}  // namespace jitune::internal
