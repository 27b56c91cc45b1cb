// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/db/winner_filter.hpp"
#include "cli/formats/json.hpp"
#include "tuner_db/merge/table_digest.hpp"

namespace jitune::internal::db_digest_command {

namespace {

struct Arguments : CommonArguments {
    WinnerFilter filter;
};

int run(const Arguments& arguments) {
    const Options options = arguments.options();
    const std::vector<Winner> winners = arguments.filter.of(
        open_database(options)->winners(), Log(options.log_level, options.log_sink));
    const std::string digest = table_digest(winners);
    if (arguments.json) {
        print_json(
            {{"path", options.database.string()}, {"winners", winners.size()}, {"digest", digest}});
    } else {
        print(digest + '\n');
    }
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options = arguments->filter.options();
    append(options,
           {arguments->database_option(), arguments->log_option(), arguments->json_option()});
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_digest_command
