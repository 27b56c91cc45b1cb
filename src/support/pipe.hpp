// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/file_descriptor.hpp"

namespace jitune::internal {

/// A pipe: `source` reads the bytes that `sink` writes. Reads never wait. Both ends close on exec.
struct Pipe {
    FileDescriptor source, sink;
};

/// Throws Error(unavailable).
Pipe make_pipe();

}  // namespace jitune::internal
