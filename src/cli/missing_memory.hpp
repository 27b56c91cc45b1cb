// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jitune::internal {

// While the program starts and ends, std::bad_alloc has no handler. Then the command says that
// there is not enough memory, and ends with kExitUnavailable. missing_memory.cpp installs
// this behaviour before the program makes any other object.

/// For a worker: from here on that exception ends the process by a signal, as the candidates that
/// throw it are judged.
void end_by_signal_without_memory();

}  // namespace jitune::internal
