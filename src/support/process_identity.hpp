// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace jitune::internal {

/// This process, as told apart from every other one on any machine, on one line:
/// "host=node7 boot=8d… pids=4026531836 pid=4711 start=123456". What cannot be found out is empty.
std::string process_identity();

/// True if the process of that identity has certainly ended: it was of this boot and of this
/// namespace of process numbers, and nobody has its number and its start time. Text that is no
/// identity is false.
bool has_ended(std::string_view identity);

}  // namespace jitune::internal
