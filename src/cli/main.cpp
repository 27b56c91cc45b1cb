// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "backend/platform.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/units.hpp"
#include "families/families.hpp"
#include "jitune/error.hpp"
#include "strategy/strategy.hpp"
#include "worker/worker.hpp"

namespace jitune::internal {

namespace {

constexpr std::array kSweepCommands{
    Command{"reduce",
            "Sums, extremes, means and more of arrays, rows, columns and segments",
            add_sweep_reduce,
            {}},
    Command{"entropy", "The entropy of the window around each element", add_sweep_entropy, {}},
    Command{"stencil", "Weighted sums of each element's neighbourhood", add_sweep_stencil, {}},
};

constexpr std::array kStepsCommands{
    Command{"reduce", "The sum as three articles make it fast", add_steps_reduce, {}},
    Command{"entropy", "The windowed entropy as an article makes it fast", add_steps_entropy, {}},
    Command{"stencil",
            "The mean of neighbours in shared memory and in a register cache",
            add_steps_stencil,
            {}},
};

constexpr std::array kDbCommands{
    Command{"list", "Every winner, one to a row", add_db_list, {}},
    Command{"show", "One winner whole, with its measurements", add_db_show, {}},
    Command{"explain", "Which winner would serve a problem, and why no other", add_db_explain, {}},
    Command{"verify", "Read and check every row", add_db_verify, {}},
    Command{"export", "The measurements of one row as T4 JSON", add_db_export, {}},
    Command{"import",
            "The measurements that export has written, into this database",
            add_db_import,
            {}},
    Command{"path", "Where the database is and how it is kept", add_db_path, {}},
};

constexpr std::array kCommands{
    Command{"devices", "The devices there are, and why others cannot be used", add_devices, {}},
    Command{"tune", "Tune a kernel of your own", add_tune, {}},
    Command{"sweep", "Tune a kernel for many problems ahead of time", nullptr, kSweepCommands},
    Command{"reduce", "Reduce a .npy file with the tuned kernel", add_reduce, {}},
    Command{"entropy", "The entropies of the windows of a .npy file", add_entropy, {}},
    Command{"stencil", "Sum the neighbours of each element of a .npy file", add_stencil, {}},
    Command{"steps", "Run well-known kernels step by step beside the tuned one", nullptr,
            kStepsCommands},
    Command{"replay", "Compare strategies on recorded results", add_replay, {}},
    Command{"db", "Look into the tuning database", nullptr, kDbCommands},
};

std::string version() {
    std::string names;
    for (const PlatformEntry& row : platforms()) {
        names += (names.empty() ? "" : ", ") + std::string(to_string(row.kind));
    }
    return fmt::format("jitune {} (backends: {})", JITUNE_VERSION_STRING, names);
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

/// What the command that was being read takes; `path` is its name from "jitune" on.
std::string expected(const CLI::App& app, const std::string& path) {
    const auto chosen = app.get_subcommands();
    if (!chosen.empty()) {
        return expected(*chosen.front(), path + " " + chosen.front()->get_name());
    }
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    std::vector<std::string> names;
    for (const CLI::App* command : commands) {
        names.push_back(command->get_name());
    }
    if (!commands.empty()) {
        return fmt::format("{} takes one of the commands {}", path, fmt::join(names, ", "));
    }
    for (const CLI::Option* option : app.get_options()) {
        names.push_back(option->get_name());
    }
    return fmt::format("{} takes {}", path, fmt::join(names, ", "));
}

/// One line that says what is wrong and what would be right.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
    const auto unread = app.remaining(true);
    std::string wrong = error.what();
    if (!unread.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
        wrong = fmt::format("\"{}\" was not expected", unread.front());
    } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        // CLI11 names them from the last to the first.
        wrong = fmt::format("not expected: {}", fmt::join(unread, " "));
    }
    return fmt::format("{}; {}", wrong, expected(app, app.get_name()));
}

int run(int argc, char** argv) {
    // Not a command for people: jitune starts itself so.
    if (argc == 3 && std::string_view(argv[1]) == "worker") {
        run_worker(argv[2], families());
    }
    CLI::App app("jitune: kernels tuned for the device they run on, and the winners kept",
                 "jitune");
    app.set_version_flag("--version", version());
    app.footer(footer());
    Action action;
    add_commands(app, kCommands, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) {
            throw Error(ErrorKind::usage, complaint(app, error));
        }
        std::ostringstream text;
        app.exit(error, text, text);
        print(text.str());
        return kExitOk;
    }
    return action();
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
