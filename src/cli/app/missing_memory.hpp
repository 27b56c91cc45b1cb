// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jitune::internal {

// While the program starts and ends, nothing catches std::bad_alloc. The handler of
// missing_memory.cpp then says that memory is missing, and ends the program with kExitUnavailable.
// It is installed before the program makes any other object.

/// Call it in a worker: from here on std::bad_alloc ends the process by a signal, by which a
/// candidate that throws it is judged.
void end_by_signal_without_memory();

}  // namespace jitune::internal
