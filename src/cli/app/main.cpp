// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "backend/platform_table.hpp"
#include "cli/app/command_line.hpp"
#include "cli/app/commands.hpp"
#include "cli/app/commit.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/interrupt.hpp"
#include "cli/app/missing_memory.hpp"
#include "cli/app/output.hpp"
#include "families/families.hpp"
#include "jitune/error.hpp"
#include "jitune/version.hpp"
#include "strategy/strategy.hpp"
#include "text/units.hpp"
#include "tuner_db/file/schema.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "worker/compiler.hpp"
#include "worker/worker.hpp"

namespace jitune::internal {

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

std::string strategies_text() {
    std::string text = "Strategies:\n";
    for (const StrategyEntry& row : strategies()) {
        text += fmt::format("  {:<26}{}\n", row.name, strategy_text(row));
    }
    return text + "\n";
}

std::string exit_codes_text() {
    std::string text = "Exit codes:\n";
    for (const ExitCodeEntry& row : exit_codes()) {
        text += fmt::format("  {:<26}{}\n", static_cast<int>(row.code), row.meaning);
    }
    return text;
}

int run(int argc, char** argv) {
    // jitune itself starts its command so, as a worker and as compilers.
    if (argc == 3 && std::string_view(argv[1]) == "worker") {
        end_by_signal_without_memory();
        run_worker(argv[2], families());
    }
    if (argc == 3 && std::string_view(argv[1]) == "compiler") {
        end_by_signal_without_memory();
        run_compiler(argv[2]);
    }
    const auto work = read_command_line(
        argc, argv, commands(), {kProgramSummary, version(), strategies_text(), exit_codes_text()});
    return work();
}

/// Whether the command was asked for JSON, also where its other arguments are wrong.
bool wants_json(int argc, char** argv) {
    return std::any_of(argv + 1, argv + argc,
                       [](std::string_view word) { return word == "--json"; });
}

/// One line on standard error, and a document on standard output where `json` is set.
int report(bool json, ErrorKind kind, const char* message, int code) {
    print_error(fmt::format("jitune: {}\n", one_line(message)));
    if (json) {
        try {
            print_json({{"error", {{"kind", to_string(kind)}, {"message", message}}}});
        } catch (const std::exception&) {  // the line above has said it
        } catch (const OutputClosed&) {
        }
    }
    return code;
}

}  // namespace

}  // namespace jitune::internal

int main(int argc, char** argv) {
    using namespace jitune::internal;
    using jitune::ErrorKind;
    catch_failed_writes();
    const bool json = wants_json(argc, argv);
    try {
        return run(argc, argv);
    } catch (const OutputClosed&) {
        return kExitPipe;
    } catch (const jitune::Error& error) {
        // A tuning that a stop request ends before its first candidate throws Error(unavailable).
        const bool stopped = error.kind() == ErrorKind::unavailable && was_interrupted();
        return report(json, error.kind(), error.what(),
                      stopped ? kExitInterrupted : exit_code(error.kind()));
    } catch (const std::bad_alloc&) {
        return report(json, ErrorKind::unavailable, "not enough memory", kExitUnavailable);
    } catch (const std::system_error& error) {
        constexpr const char* kRefused = "the system refused what the command needs: ";
        return report(json, ErrorKind::unavailable, (kRefused + std::string(error.what())).c_str(),
                      kExitUnavailable);
    } catch (const std::exception& error) {
        return report(json, ErrorKind::device, error.what(), kExitFailed);
    }
}
