// SPDX-License-Identifier: Apache-2.0
#include "cli/app/exit_code.hpp"

#include <array>

#include "types/name_table.hpp"

namespace jitune::internal {

namespace {

struct ErrorRow {
    ErrorKind value;
    std::string_view name;
    ExitCode code = kExitFailed;
};
constexpr std::array kErrors{
    ErrorRow{ErrorKind::usage, "usage", kExitUsage},
    ErrorRow{ErrorKind::unavailable, "unavailable", kExitUnavailable},
    ErrorRow{ErrorKind::compile, "compile"},
    ErrorRow{ErrorKind::device, "device"},
    ErrorRow{ErrorKind::verify, "verify"},
    ErrorRow{ErrorKind::store, "store", kExitStore},
    ErrorRow{ErrorKind::not_prepared, "not_prepared"},
    ErrorRow{ErrorKind::forked, "forked"},
};
static_assert(is_complete(kErrors, ErrorKind::forked));
constexpr std::string_view kWhat = "an error";

}  // namespace

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
    return row_of(kErrors, kind, kWhat).code;
}

std::string_view to_string(ErrorKind kind) {
    return row_of(kErrors, kind, kWhat).name;
}

}  // namespace jitune::internal
