// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jitune::internal {

/// process_identity() as a part of a file's name: "node7+8d…+4026531836+4711+123456+0", which ends
/// with the number of one of several tasks in the process. Other characters than letters, digits,
/// "." and "-" become "_".
std::string task_name(std::string_view identity, std::size_t part);

/// True for a text that task_name() may have made.
bool is_task_name(std::string_view text);

/// has_ended() of the task's process. It can be true only on the machine and in the boot of that
/// process.
bool has_task_ended(std::string_view task);

/// "node7, process 4711", for people.
std::string task_text(std::string_view task);

}  // namespace jitune::internal
