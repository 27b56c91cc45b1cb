// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/worker_command.hpp"

#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/file_facts.hpp"
#include "support/process.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {

namespace {

using std::filesystem::path;

constexpr const char* kCommand = "jitune";

/// The folder of the installed command, filled up with slashes behind a mark. Of an archive that is
/// installed below another prefix than the configured one, cmake/install.cmake changes these bytes:
/// hence volatile.
const volatile char kInstalled[] = JITUNE_BIN_PLACE;

path installed_command() {
    std::string text;
    for (std::size_t i = 0; i + 1 < std::size(kInstalled); ++i) {
        text += kInstalled[i];
    }
    return path(text.substr(text.find(':') + 1)).lexically_normal() / kCommand;
}

bool is_name(const path& text) {
    return text.native().find('/') == std::string::npos;
}

void add(const path& command, std::vector<path>& usual) {
    if (std::find(usual.begin(), usual.end(), command) == usual.end()) {
        usual.push_back(command);
    }
}

/// Adds a command that nobody else can have put where it lies.
void add_own(const path& command, std::vector<path>& usual) {
    const path file = command.lexically_normal();
    const path folder = file.parent_path();
    if (!is_foreign(file) && !is_foreign(folder) && !is_foreign(folder.parent_path())) {
        add(file, usual);
    }
}

std::string why_not(const path& named) {
    if (is_name(named)) {
        return "is not on $PATH";
    }
    std::error_code error;
    const auto status = std::filesystem::status(named, error);
    if (!std::filesystem::exists(status)) {
        return "does not exist";
    }
    return std::filesystem::is_directory(status) ? "is a folder" : "is no executable file";
}

}  // namespace

path named_worker(const path& option) {
    const char* const variable = ::secure_getenv("JITUNE_WORKER");
    const path named = option.empty() && variable != nullptr ? path(variable) : option;
    std::error_code error;  // without a current folder, the path stays as it is
    const path whole = is_name(named) ? named : std::filesystem::absolute(named, error);
    return error ? named : whole;
}

std::vector<path> usual_workers() {
    std::vector<path> usual;
    const path file = own_file();
    // If a program has more rights than its caller, the caller may have made a hard link to it in a
    // folder of his own.
    if (file.is_absolute() && ::getauxval(AT_SECURE) == 0) {
        // Seen from the installed library, and from an app in its own bin/ or lib/.
        for (const char* const bin : {JITUNE_BIN_FROM_LIB, "../bin"}) {
            add_own(file.parent_path() / bin / kCommand, usual);
        }
    }
    if (const path installed = installed_command(); !is_foreign(installed)) {
        add(installed, usual);
    }
    return usual;
}

path find_worker(const path& named, std::span<const path> usual) {
    if (std::getenv(kFamilyVariable) != nullptr) {
        throw Error(
            ErrorKind::unavailable,
            fmt::format("cannot start a tuning worker: {0} is set, so this process is a worker or "
                        "was started by one. If it was started as the worker, it is no jitune "
                        "command: give Options::worker (JITUNE_WORKER) the path of the command. "
                        "Else unset {0}",
                        kFamilyVariable));
    }
    if (!named.empty()) {
        if (const auto program = find_program(named.native())) {
            return *program;
        }
        throw Error(ErrorKind::unavailable,
                    fmt::format("cannot start a tuning worker: {} {}; give Options::worker "
                                "(JITUNE_WORKER) the path of the jitune command",
                                named.native(), why_not(named)));
    }
    std::string places;
    for (const path& file : usual) {
        if (find_program(file.native())) {
            return file;
        }
        places += file.native() + ", ";
    }
    if (const auto program = find_program(kCommand)) {
        return *program;
    }
    throw Error(
        ErrorKind::unavailable,
        fmt::format("there is no jitune command ({}$PATH): install it, or set JITUNE_WORKER "
                    "to its path, or to \"{}\" to tune in this process",
                    places, kNoWorker));
}

}  // namespace jitune::internal
