// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tuning/measure/trial_case.hpp"

namespace jitune::internal {

/// Checks memory by checksums, which the device computes. This is cheap enough to check after each
/// candidate that no input has changed, and after samples that the timed launches were right as
/// well, because a candidate may be wrong only now and then. Used by one thread.
class LaunchAudit {
public:
    /// `cases`, the last of which is the problem itself, must outlive it. Call it before the first
    /// candidate runs.
    LaunchAudit(Bench& bench, std::vector<TrialCase*> cases);

    /// After a candidate has run on all cases: a complaint if it has changed an array that it may
    /// only read, or the bytes around one; they are restored. Takes the outputs of the problem as
    /// right ones until the next call. `are_right` says that they were judged so.
    std::string judge_inputs(bool are_right);

    /// Call it after a sample on these copies of the problem. Returns a complaint if a launch has
    /// left a wrong output. Judges some of the outputs whose bits are not known yet on the host, in
    /// each sample. Returns nothing for kernels that change their inputs in place: launched again
    /// and again, they have no right answer.
    std::string judge_timed(std::span<const std::unique_ptr<TrialCase>> copies);

private:
    using Sums = std::vector<std::uint64_t>;

    Bench& bench_;
    std::vector<TrialCase*> cases_;
    std::vector<MemoryRegion> inputs_;
    Sums input_sums_;
    std::set<Sums> right_sums_;  ///< of the problem's outputs, as one candidate gives them
};

}  // namespace jitune::internal
