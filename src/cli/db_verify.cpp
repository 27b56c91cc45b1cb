// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"

namespace jitune::internal::db_verify_command {

namespace {

int run(const CommonArguments& arguments) {
    const Options options = arguments.options();
    const TuningStore::Check check = open_database(options)->verify();
    const std::string path = options.database.string();
    if (arguments.json) {
        print_json({{"path", path},
                    {"winners", check.winners},
                    {"measurements", check.measurements},
                    {"problems", check.problems}});
    } else {
        std::string text;
        for (const std::string& problem : check.problems) {
            text += problem + '\n';
        }
        print(text + fmt::format("{}: {} winners, {} measurements, {} problems\n", path,
                                 check.winners, check.measurements, check.problems.size()));
    }
    return check.problems.empty() ? kExitOk : kExitStore;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<CommonArguments>();
    return {{arguments->database_option(), arguments->log_option(), arguments->json_option()},
            [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_verify_command
