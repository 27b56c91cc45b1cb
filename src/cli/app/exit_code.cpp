// SPDX-License-Identifier: Apache-2.0
#include "cli/app/exit_code.hpp"

#include <array>

namespace jitune::internal {

std::span<const ExitCodeEntry> exit_codes() {
    static constexpr std::array kCodes{
        ExitCodeEntry{kExitOk, "done"},
        ExitCodeEntry{kExitFailed, "the work failed: compiler, device, or a wrong result"},
        ExitCodeEntry{kExitUsage, "an argument or an input file is wrong"},
        ExitCodeEntry{kExitStore, "the tuning database cannot be used, or has bad rows"},
        ExitCodeEntry{kExitUnavailable, "no such device, no compiler, or not enough memory"},
        ExitCodeEntry{kExitInterrupted, "interrupted; finished measurements are kept"},
        ExitCodeEntry{kExitPipe, "the reader of standard output closed it"},
    };
    return kCodes;
}

ExitCode exit_code(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
            return kExitUsage;
        case ErrorKind::unavailable:
            return kExitUnavailable;
        case ErrorKind::store:
            return kExitStore;
        case ErrorKind::compile:
        case ErrorKind::device:
        case ErrorKind::verify:
        case ErrorKind::not_prepared:
        case ErrorKind::forked:
            break;
    }
    return kExitFailed;
}

std::string_view to_string(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
            return "usage";
        case ErrorKind::unavailable:
            return "unavailable";
        case ErrorKind::compile:
            return "compile";
        case ErrorKind::device:
            return "device";
        case ErrorKind::verify:
            return "verify";
        case ErrorKind::store:
            return "store";
        case ErrorKind::not_prepared:
            return "not_prepared";
        case ErrorKind::forked:
            break;
    }
    return "forked";
}

}  // namespace jitune::internal
