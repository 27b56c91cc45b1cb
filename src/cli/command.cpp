// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <string>

namespace jitune::internal {

void add_commands(CLI::App& app, std::span<const Command> commands, Action& chosen) {
    app.require_subcommand(1);
    for (const Command& row : commands) {
        CLI::App* command = app.add_subcommand(std::string(row.name), std::string(row.summary));
        if (row.add == nullptr) {
            add_commands(*command, row.children, chosen);
        } else {
            command->callback([&chosen, action = row.add(*command)] { chosen = action; });
        }
    }
}

}  // namespace jitune::internal
