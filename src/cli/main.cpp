// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "backend/platform_table.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/commit.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/units.hpp"
#include "families/families.hpp"
#include "jitune/error.hpp"
#include "jitune/version.hpp"
#include "strategy/strategy.hpp"
#include "worker/worker.hpp"

namespace jitune::internal {

namespace {

std::string version() {
    std::string names;
    for (const PlatformEntry& row : platforms()) {
        names += (names.empty() ? "" : ", ") + std::string(to_string(row.kind));
    }
    return fmt::format("jitune {} (commit {}, backends: {})", JITUNE_VERSION_STRING, kCommit,
                       names);
}

std::string footer() {
    std::string text = "Strategies:\n";
    for (const StrategyEntry& row : strategies()) {
        text += fmt::format("  {:<26}{}\n", row.name, row.summary);
    }
    text += "\nExit codes:\n";
    for (const ExitCodeEntry& row : exit_codes()) {
        text += fmt::format("  {:<26}{}\n", static_cast<int>(row.code), row.meaning);
    }
    return text;
}

int run(int argc, char** argv) {
    // For jitune alone, which starts itself as its worker.
    if (argc == 3 && std::string_view(argv[1]) == "worker") {
        run_worker(argv[2], families());
    }
    const auto work = read_command_line(
        argc, argv, commands(),
        {"jitune tunes kernels for the device they run on, and stores the winners", version(),
         footer()});
    return work();
}

int report(const char* message, int code) {
    print_error(fmt::format("jitune: {}\n", one_line(message)));
    return code;
}

}  // namespace

}  // namespace jitune::internal

int main(int argc, char** argv) {
    jitune::internal::catch_broken_pipes();
    try {
        return jitune::internal::run(argc, argv);
    } catch (const jitune::internal::OutputClosed&) {
        return jitune::internal::kExitPipe;
    } catch (const jitune::Error& error) {
        return jitune::internal::report(error.what(), jitune::internal::exit_code(error.kind()));
    } catch (const std::bad_alloc&) {
        return jitune::internal::report("not enough memory", jitune::internal::kExitUnavailable);
    } catch (const std::exception& error) {
        return jitune::internal::report(error.what(), jitune::internal::kExitFailed);
    }
}
