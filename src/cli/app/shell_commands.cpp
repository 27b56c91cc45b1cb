// SPDX-License-Identifier: Apache-2.0
// `jitune completion` and `jitune manual`: what packages install beside the command.
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/app/command.hpp"
#include "cli/app/command_pages.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "jitune/error.hpp"
#include "jitune/version.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {

namespace completion_command {

Invocation invocation() {
    const auto shell = std::make_shared<std::string>();
    return {{{"SHELL",
              shell.get(),
              "bash, zsh or fish",
              {.required = true, .choices = {"bash", "zsh", "fish"}}}},
            [shell] {
                print(completion_script(*shell, command_pages(kProgramSummary, commands())));
                return kExitOk;
            }};
}

}  // namespace completion_command

namespace manual_command {

namespace {

struct Arguments {
    std::vector<std::string> words;
    std::string folder;
};

int run(const Arguments& arguments) {
    if (!arguments.folder.empty() && !arguments.words.empty()) {
        throw Error(ErrorKind::usage,
                    "--folder writes the pages of all commands: give it without a command");
    }
    if (!arguments.folder.empty()) {
        std::error_code error;  // else the first file says why it cannot be written
        std::filesystem::create_directories(arguments.folder, error);
    }
    bool is_found = false;
    for (const CommandPage& page : command_pages(kProgramSummary, commands())) {
        const std::string text = manual_text(page, JITUNE_VERSION_STRING);
        if (!arguments.folder.empty()) {
            write_file(std::filesystem::path(arguments.folder) / (manual_name(page) + ".1"),
                       {text});
        } else if (page.words == arguments.words) {
            print(text);
            is_found = true;
        }
    }
    if (arguments.folder.empty() && !is_found) {
        throw Error(ErrorKind::usage, fmt::format("no manual page: there is no command \"{}\"",
                                                  fmt::join(arguments.words, " ")));
    }
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    const auto given = std::make_shared<Arguments>();
    return {{{"COMMAND", &given->words, "The command, as in sweep reduce [jitune itself]"},
             {"--folder", &given->folder, "Write the pages of all commands into this folder"}},
            [given] { return run(*given); }};
}

}  // namespace manual_command

}  // namespace jitune::internal
