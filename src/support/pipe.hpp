// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/file_descriptor.hpp"

namespace jitune::internal {

/// What is written to `sink` can be read from `source`, where reading never waits. Both are closed
/// on exec.
struct Pipe {
    FileDescriptor source, sink;
};

/// Throws Error(unavailable).
Pipe make_pipe();

}  // namespace jitune::internal
