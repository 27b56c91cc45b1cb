// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/export_file.hpp"
#include "cli/file_run.hpp"
#include "cli/output.hpp"
#include "cli/winner_choice.hpp"
#include "support/text_file.hpp"

namespace jitune::internal::db_export_command {

namespace {

struct Arguments : CommonArguments {
    WinnerChoice choice;
    std::string file;
};

int run(const Arguments& arguments) {
    const Options options = arguments.options();
    refuse_overwriting_database(options.database, "--t4", arguments.file);
    const auto store = open_database(options);
    const std::vector<Winner> winners = store->winners();
    const std::vector<Measurement> measurements =
        measurements_to_export(*store, arguments.choice.select(winners).key);
    write_file(arguments.file, {export_document(measurements).text(1), "\n"});
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options = arguments->choice.options();
    append(options, {{"--t4", &arguments->file, "The file to write, T4 JSON", {.required = true}},
                     arguments->database_option(),
                     arguments->log_option()});
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_export_command
