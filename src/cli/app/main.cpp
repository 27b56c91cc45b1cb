// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <fmt/format.h>

#include "backend/platform_table.hpp"
#include "cli/app/command.hpp"
#include "cli/app/command_line.hpp"
#include "jitune/version.hpp"
#include "tuner_db/file/schema.hpp"
#include "tuner_db/file/sqlite.hpp"

namespace jitune::internal {

/// The commit that this program was built from, as git abbreviates it; "unknown" outside a clone.
/// The build writes the source that defines it.
extern const char* const kCommit;

namespace {

std::string version() {
    std::string names;
    for (const PlatformEntry& row : platforms()) {
        names += (names.empty() ? "" : ", ") + std::string(to_string(row.kind));
    }
#ifdef __clang__
    constexpr const char* kCompiler = "clang " __clang_version__;
#else
    constexpr const char* kCompiler = "g++ " __VERSION__;
#endif
    return fmt::format(
        "jitune {} (commit {}, backends: {})\n"
        "database schema {}, SQLite {}, CUDA headers {}, compiled by {}",
        JITUNE_VERSION_STRING, kCommit, names, schema_version(), sqlite::library_version(),
        JITUNE_CUDA_HEADERS, kCompiler);
}

}  // namespace

}  // namespace jitune::internal

int main(int argc, char** argv) {
    using namespace jitune::internal;
    return run_program(
        argc, argv,
        {.name = "jitune", .summary = kProgramSummary, .version = version, .commands = commands});
}
