// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/app/command.hpp"

namespace jitune::internal {

/// One command's words, help and options: the content of its manual page and its completions.
struct CommandPage {
    std::vector<std::string> words;  ///< "sweep", "reduce"; none for the program itself
    std::string help;
    std::vector<Option> options;    ///< do not write to their targets
    std::vector<Command> children;  ///< of a group
    std::string file_child = {};    ///< as Command::file_child
};

/// The program with this summary, then all of its commands, a group before its children.
std::vector<CommandPage> command_pages(const std::string& summary,
                                       const std::vector<Command>& commands);

/// The option's names without what it takes: "-n", "--size". For an argument by place, one name
/// without a dash.
std::vector<std::string> names_of(const Option& option);

/// True if the option takes a value; false for a flag.
bool takes_value(const Option& option);

/// True for an option; false for an argument by place.
bool has_dash(const Option& option);

/// The endings of files that Command::file_child is about, whether there is such a file or not.
inline constexpr std::array<std::string_view, 2> kFileEndings{".cu", ".cpp"};

/// True if a command's help and page need the table of strategies.
bool takes_strategy(const std::vector<Option>& options);

/// The script with which a shell completes the words of these pages. Values of options and
/// arguments by place are completed as files. Throws Error(usage) for a shell other than bash, zsh
/// and fish.
std::string completion_script(std::string_view shell, const std::vector<CommandPage>& pages);

/// The name of a command's manual page: "jitune-sweep-reduce".
std::string manual_name(const CommandPage& page);

/// The page of section 1 in the language of man(7). `version` is the program's, as "0.2.0".
std::string manual_text(const CommandPage& page, const std::string& version);

}  // namespace jitune::internal
