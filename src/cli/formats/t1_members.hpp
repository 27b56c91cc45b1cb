// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/formats/json_file.hpp"

namespace jitune::internal {

/// A line for each member of a tuning problem in T1 that is not read, with the reason. Members that
/// only describe the problem, those that repeat what others say and null have none. Throws
/// Error(usage) for a member that changes what a right result is.
std::vector<std::string> unread_t1_members(const ParsedJson& document);

}  // namespace jitune::internal
