// SPDX-License-Identifier: Apache-2.0
#include "cli/app/command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "cli/app/command_pages.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "jitune/error.hpp"
#include "strategy/strategy.hpp"

// The one file that knows CLI11, which takes seconds to compile.
namespace jitune::internal {

namespace {

/// The tables below help texts.
struct HelpTables {
    std::string strategies;  ///< below that of the program and of commands that choose one
    std::string exit_codes;  ///< below all
};

HelpTables help_tables() {
    HelpTables tables{"Strategies:\n", "Exit codes:\n"};
    for (const StrategyEntry& row : strategies()) {
        tables.strategies += fmt::format("  {:<26}{}\n", row.name, strategy_text(row));
    }
    tables.strategies += "\n";
    for (const ExitCodeEntry& row : exit_codes()) {
        tables.exit_codes += fmt::format("  {:<26}{}\n", static_cast<int>(row.code), row.meaning);
    }
    return tables;
}

/// "--size" of "-n,--size".
std::string long_name(const Option& option) {
    return names_of(option).back();
}

/// A script's unset variable would else be taken for an option that is not given.
CLI::Validator refuse_empty(const Option& option) {
    const auto check = [message =
                            fmt::format("{} is empty; it takes a value: {}", long_name(option),
                                        option.help)](const std::string& value) {
        if (value.empty()) {
            throw Error(ErrorKind::usage, message);
        }
        return std::string();
    };
    return {check, "", ""};
}

/// Adds `option` to `app`, without the options that it excludes.
void add_option(CLI::App& app, const Option& option) {
    CLI::Option* const added = std::visit(
        [&]<class T>(T* target) {
            if constexpr (std::is_same_v<T, bool>) {
                return app.add_flag(option.name, *target, option.help);
            } else {
                return app.add_option(option.name, *target, option.help)
                    ->check(refuse_empty(option));
            }
        },
        option.target);
    added->required(option.rules.required);
    if (std::holds_alternative<std::vector<std::string>*>(option.target) && has_dash(option)) {
        added->allow_extra_args(false);
    }
    if (const auto& range = option.rules.range) {
        // As a plain number CLI11 takes -1 for 2^64 - 1.
        added->check(CLI::Range(range->first, range->second));
    }
}

void add_options(CLI::App& app, const std::vector<Option>& options) {
    for (const Option& option : options) {
        add_option(app, option);
    }
    for (const Option& option : options) {
        for (const std::string& other : option.rules.excludes) {
            app.get_option(long_name(option))->excludes(app.get_option(other));
        }
    }
}

/// Adds `commands` to `app`; parsing then sets `chosen` to the work of the command that was named.
void add_commands(CLI::App& app, const std::vector<Command>& commands, const HelpTables& tables,
                  std::function<int()>& chosen) {
    app.require_subcommand(1);
    for (const Command& row : commands) {
        CLI::App* const command = app.add_subcommand(row.name, row.help);
        command->footer(tables.exit_codes);  // else that of `app`
        if (row.invocation == nullptr) {
            add_commands(*command, row.children, tables, chosen);
            continue;
        }
        const Invocation invocation = row.invocation();
        if (takes_strategy(invocation.options)) {
            command->footer(tables.strategies + tables.exit_codes);
        }
        add_options(*command, invocation.options);
        command->callback([&chosen, run = invocation.run] { chosen = run; });
    }
}

/// The arguments of the command that was being read; `path` is its name from the program's on.
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

/// The command that was being read.
const CLI::App& read_last(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : read_last(*chosen.front());
}

/// "; did you mean --only block=64?" if the words, from the last to the first, have "--only
/// block 64"; empty if they have no such thing.
std::string hint_at_sign(const CLI::App& app, std::span<const std::string> words) {
    const CLI::App& command = read_last(app);
    for (std::size_t i = words.size(); i > 2; --i) {
        const std::string& name = words[i - 1];
        const std::string& value = words[i - 2];
        const std::string& more = words[i - 3];
        const CLI::Option* const option =
            name.starts_with('-') ? command.get_option_no_throw(name) : nullptr;
        if (option != nullptr && option->get_description().find("NAME=") != std::string::npos &&
            value.find('=') == std::string::npos && !more.starts_with('-')) {
            return fmt::format("; did you mean {} {}={}?", name, value, more);
        }
    }
    return {};
}

/// One line that names the mistake and what would be right. `words` are the arguments from the last
/// to the first.
std::string complaint(const CLI::App& app, const CLI::ParseError& error,
                      std::span<const std::string> words) {
    const auto unread = app.remaining(true);
    std::string wrong = error.what();
    if (!unread.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
        wrong = fmt::format("\"{}\" was not expected{}", unread.front(), hint_at_sign(app, words));
    } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        // CLI11 names them from the last to the first.
        wrong = fmt::format("not expected: {}{}", fmt::join(unread, " "), hint_at_sign(app, words));
    }
    return fmt::format("{}; {}", wrong, expected(app, app.get_name()));
}

/// Whether a word in the place of a command's name is a file: by its ending, so that a mistyped
/// name is said to be no file, else because it is there.
bool is_file(const std::string& word) {
    std::error_code unknown;
    return std::any_of(kFileEndings.begin(), kFileEndings.end(),
                       [&](std::string_view ending) { return word.ends_with(ending); }) ||
           (std::filesystem::exists(word, unknown) &&
            !std::filesystem::is_directory(word, unknown));
}

/// The arguments in order, with "kernel" before the FILE of "sweep FILE".
std::vector<std::string> whole_arguments(int argc, char** argv,
                                         const std::vector<Command>& commands) {
    std::vector<std::string> words(argv + 1, argv + argc);
    const auto named = [](const std::vector<Command>& rows, const std::string& name) {
        return std::find_if(rows.begin(), rows.end(),
                            [&](const Command& row) { return row.name == name; });
    };
    if (words.size() > 1 && !words[1].starts_with('-')) {
        const auto group = named(commands, words[0]);
        if (group != commands.end() && !group->file_child.empty() &&
            named(group->children, words[1]) == group->children.end() && is_file(words[1])) {
            words.insert(words.begin() + 1, group->file_child);
        }
    }
    return words;
}

/// The arguments from the last to the first, as CLI11 takes them. "--sizes=" becomes "--sizes" and
/// an empty value; CLI11 would take the next argument for the value.
std::vector<std::string> reversed(const std::vector<std::string>& arguments) {
    std::vector<std::string> words;
    for (std::size_t i = arguments.size(); i > 0; --i) {
        std::string word = arguments[i - 1];
        if (word.starts_with("--") && word.ends_with('=')) {
            words.emplace_back();
            word.pop_back();
        }
        words.push_back(std::move(word));
    }
    return words;
}

}  // namespace

std::function<int()> read_command_line(int argc, char** argv, const CommandProgram& program) {
    const std::vector<Command> commands = program.commands();
    const HelpTables tables = help_tables();
    CLI::App app(program.summary, program.name);
    app.set_version_flag("--version", program.version());
    app.footer(tables.strategies + tables.exit_codes);
    std::function<int()> chosen;
    add_commands(app, commands, tables, chosen);
    const std::vector<std::string> words = reversed(whole_arguments(argc, argv, commands));
    try {
        app.parse(std::vector<std::string>(words));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) {
            throw Error(ErrorKind::usage, complaint(app, error, words));
        }
        std::ostringstream text;
        app.exit(error, text, text);
        return [text = text.str()] {
            print(text);
            return kExitOk;
        };
    }
    return chosen;
}

}  // namespace jitune::internal
