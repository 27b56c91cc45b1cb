// SPDX-License-Identifier: Apache-2.0
// jitune db delete, pin, unpin
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/db/winner_filter.hpp"
#include "jitune/error.hpp"
#include "support/utf8.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal::db_edit_command {

namespace {

struct Arguments : CommonArguments {
    WinnerFilter filter;
    bool all = false;
    bool measurements = false;
    bool dry_run = false;
};

std::string name_of(const Winner& winner) {
    return one_line(
        fmt::format("{} {} {} {}, {}", short_id(winner), winner.key.kernel,
                    short_types(winner.key.types), short_served_text(winner), winner.configuration),
        kShownCharacters);
}

void print_result(const Arguments& arguments, const Options& options, const char* done,
                  const std::vector<Winner>& winners) {
    if (arguments.json) {
        print_json({{"path", options.database.string()},
                    {"dry_run", arguments.dry_run},
                    {"winners", json_list(winners, winner_id)}});
        return;
    }
    std::string text;
    for (const Winner& winner : winners) {
        text += fmt::format("{}: {}\n", done, name_of(winner));
    }
    print(text);
}

int run_delete(const Arguments& arguments) {
    const Options options = arguments.options();
    if (arguments.filter.is_empty() != arguments.all) {
        throw Error(ErrorKind::usage,
                    arguments.all ? "--all deletes every winner: leave the filters out, or --all"
                                  : "nothing says which winners to delete: name an ID, give "
                                    "filters such as --kernel, or --all for every one");
    }
    const auto store = change_database(options);
    const std::vector<Winner> winners =
        arguments.filter.of(store->winners(), Log(options.log_level, options.log_sink));
    if (!arguments.dry_run) {
        store->remove(winners, arguments.measurements);
    }
    print_result(arguments, options, arguments.dry_run ? "would delete" : "deleted", winners);
    return kExitOk;
}

int run_pin(const Arguments& arguments, bool pinned) {
    const Options options = arguments.options();
    const auto store = change_database(options);
    const std::vector<Winner> winners = store->winners();
    const Winner& winner = arguments.filter.only_one(winners);
    if (pinned && !may_serve(trust_of(winner))) {
        throw Error(ErrorKind::usage,
                    fmt::format("cannot pin {}: calls do not use it, because it {}: tune it first",
                                name_of(winner),
                                winner.image_format == kNoCode ? "has no code" : "is unsure"));
    }
    store->pin(winner_id(winner), pinned);
    print_result(arguments, options, pinned ? "pinned" : "not pinned any more", {winner});
    return kExitOk;
}

Invocation invocation(const std::vector<Option>& more, int (*run)(const Arguments&),
                      const std::shared_ptr<Arguments>& arguments) {
    std::vector<Option> options = arguments->filter.options();
    append(options, more);
    append(options,
           {arguments->database_option(), arguments->log_option(), arguments->json_option()});
    return {std::move(options), [arguments, run] { return run(*arguments); }};
}

}  // namespace

Invocation delete_invocation() {
    auto arguments = std::make_shared<Arguments>();
    return invocation({{"--all", &arguments->all, "Every winner"},
                       {"--measurements", &arguments->measurements,
                        "Also all measurements of their kernels, types and devices"},
                       {"--dry-run", &arguments->dry_run, "Say what would go, and change nothing"}},
                      run_delete, arguments);
}

Invocation pin_invocation() {
    return invocation(
        {}, [](const Arguments& arguments) { return run_pin(arguments, true); },
        std::make_shared<Arguments>());
}

Invocation unpin_invocation() {
    return invocation(
        {}, [](const Arguments& arguments) { return run_pin(arguments, false); },
        std::make_shared<Arguments>());
}

}  // namespace jitune::internal::db_edit_command
