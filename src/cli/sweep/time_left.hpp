// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sweep/deadline.hpp"

namespace jitune::internal {

/// When the time that `option` was given is over, from now on; nothing for an empty text. Throws
/// Error(usage).
Deadline deadline_after(std::string_view option, const std::string& duration);

/// When this process will be killed: what --time-left says, else Slurm: SLURM_JOB_END_TIME, else
/// squeue for SLURM_JOB_ID. Nothing if none says so. Throws Error(usage) for a malformed
/// --time-left.
Deadline end_of_job(const std::string& time_left);

/// Seconds in what squeue prints for %L: "2-03:04:05", "3:04:05", "04:05"; nothing for other texts,
/// such as UNLIMITED.
std::optional<double> parse_slurm_time(std::string_view text);

}  // namespace jitune::internal
