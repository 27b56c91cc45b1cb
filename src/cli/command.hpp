// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>

namespace jitune::internal {

/// What a command does once its arguments are read. Returns the exit code; throws Error.
using Action = std::function<int()>;

/// One row of the command line: a command that acts, or a group of commands.
struct Command {
    std::string_view name;
    std::string_view summary;
    /// Adds the command's arguments and returns its action. Null for a group.
    Action (*add)(CLI::App& app);
    std::span<const Command> children;
};

/// Adds `commands` to `app`; parsing then sets `chosen` to the action of the one that was named.
void add_commands(CLI::App& app, std::span<const Command> commands, Action& chosen);

Action add_devices(CLI::App& app);
Action add_sweep_entropy(CLI::App& app);
Action add_sweep_reduce(CLI::App& app);
Action add_sweep_stencil(CLI::App& app);
Action add_entropy(CLI::App& app);
Action add_reduce(CLI::App& app);
Action add_steps_entropy(CLI::App& app);
Action add_stencil(CLI::App& app);
Action add_steps_reduce(CLI::App& app);
Action add_steps_stencil(CLI::App& app);
Action add_tune(CLI::App& app);
Action add_replay(CLI::App& app);
Action add_db_export(CLI::App& app);
Action add_db_import(CLI::App& app);
Action add_db_list(CLI::App& app);
Action add_db_show(CLI::App& app);
Action add_db_explain(CLI::App& app);
Action add_db_verify(CLI::App& app);
Action add_db_path(CLI::App& app);

}  // namespace jitune::internal
