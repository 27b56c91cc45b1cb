// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace jitune::internal {

/// Runs a compiler process of a platform until its end: receives programs over standard input,
/// which is a socket, and answers there (tuning/isolation/worker_request.hpp). It opens no device.
/// Ends when its parent ends, also in the middle of a compile, and when nothing has come for a
/// while. Throws Error(usage) where standard input is not a socket, and Error(unavailable) for a
/// malformed message.
[[noreturn]] void run_compiler(std::string_view platform);

}  // namespace jitune::internal
