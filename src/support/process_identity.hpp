// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace jitune::internal {

/// A line that identifies this process among all processes of all machines:
/// "host=node7 boot=8d… pids=4026531836 pid=4711 start=123456". Unknown values are empty.
std::string process_identity();

/// True if the process of that identity has certainly ended: it ran in this boot and in this
/// namespace of process numbers, and no process has its number and start time. False for any other
/// text.
bool has_ended(std::string_view identity);

}  // namespace jitune::internal
