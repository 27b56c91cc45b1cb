// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "jitune/error.hpp"

namespace jitune::internal {

/// Exit codes of the process.
enum ExitCode : int {
    kExitOk = 0,
    kExitFailed = 1,
    kExitUsage = 2,
    kExitStore = 3,
    kExitUnavailable = 4,
    kExitInterrupted = 130,  ///< as a shell reports SIGINT
    kExitPipe = 141,         ///< as a shell reports SIGPIPE
};

struct ExitCodeEntry {
    ExitCode code;
    std::string_view meaning;
};

/// Every exit code; `--help` prints this table.
std::span<const ExitCodeEntry> exit_codes();

ExitCode exit_code(ErrorKind kind);

/// "usage", "unavailable" and so on, as the enumerator.
std::string_view to_string(ErrorKind kind);

}  // namespace jitune::internal
