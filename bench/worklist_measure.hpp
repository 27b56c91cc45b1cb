// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "worklist_results.hpp"
#include "worklist_trace.hpp"

namespace jitune::bench {

/// Tunes each problem of a trace with the whole budget and with a part of it, each from an empty
/// database, and compares the answers to its calls. Says on standard error how far it is. Throws
/// Error where the device is not there or a default has no time.
Measured measure(const std::vector<TracedCall>& calls, const std::string& device, double budget_s,
                 double brief_part);

}  // namespace jitune::bench
