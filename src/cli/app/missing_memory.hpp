// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jitune::internal {

// While the program starts and ends, nothing catches std::bad_alloc. The handler of
// missing_memory.cpp then says that memory is missing, and ends the program with kExitUnavailable.
// It is installed before the program makes any other object.

/// For a worker: from here on that exception ends the process by a signal, as the candidates that
/// throw it are judged.
void end_by_signal_without_memory();

}  // namespace jitune::internal
