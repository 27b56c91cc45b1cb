// SPDX-License-Identifier: Apache-2.0
// jitune db merge, jitune db undo
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/db/bundle.hpp"
#include "cli/db/merge_text.hpp"
#include "jitune/error.hpp"
#include "text/units.hpp"

namespace jitune::internal::db_merge_command {

namespace {

struct Arguments : CommonArguments {
    std::vector<std::string> files;
    bool trust = false;
    bool dry_run = false;
};

int run_merge(const Arguments& arguments) {
    const Options options = arguments.options();
    const Log log(options.log_level, options.log_sink);
    std::vector<std::unique_ptr<OtherDatabase>> others;  // all of them can be read, or none is
    for (const std::string& file : arguments.files) {
        others.push_back(std::make_unique<OtherDatabase>(file, log));
    }
    const bool is_new = !options.database.empty() && !std::filesystem::exists(options.database);
    const auto store = arguments.dry_run && is_new ? TuningStore::in_memory(log)
                                                   : change_or_make_database(options);
    Json merges = Json::array();
    for (std::size_t i = 0; i < others.size(); ++i) {
        const std::string& file = arguments.files[i];
        const MergeReport report =
            store->merges().add(others[i]->store().merges(),
                                {.trust_code = arguments.trust, .dry_run = arguments.dry_run});
        if (arguments.json) {
            merges.push_back(merge_json(file, report));
        } else {
            print(merge_text(file, report, arguments.dry_run));
        }
    }
    if (arguments.json) {
        print_json({{"path", options.database.string()},
                    {"dry_run", arguments.dry_run},
                    {"merges", merges}});
    }
    return kExitOk;
}

int run_undo(const CommonArguments& arguments) {
    const Options options = arguments.options();
    const auto store = change_database(options);
    const UndoReport report = store->merges().undo();
    if (arguments.json) {
        print_json({{"path", options.database.string()},
                    {"source", report.source},
                    {"measurements", report.measurements},
                    {"winners", report.winners}});
    } else if (report.source.empty()) {
        print("nothing to undo: no merge, or the last one was taken back already\n");
    } else {
        print(fmt::format("took back the merge of {}: {} and {}\n", report.source,
                          count_text(report.measurements, "measurement"),
                          count_text(report.winners, "winner")));
    }
    return kExitOk;
}

}  // namespace

Invocation merge_invocation() {
    auto arguments = std::make_shared<Arguments>();
    Option into = arguments->database_option();
    into.name = "--into,--db";
    return {{{"FILE",
              &arguments->files,
              "Other databases, or bundles of db export",
              {.required = true}},
             std::move(into),
             {"--trust-binaries", &arguments->trust,
              "Take their code, too, which calls will run; else it is compiled, checked and raced "
              "here"},
             {"--dry-run", &arguments->dry_run, "Say what would come, and change nothing"},
             arguments->log_option(),
             arguments->json_option()},
            [arguments] { return run_merge(*arguments); }};
}

Invocation undo_invocation() {
    auto arguments = std::make_shared<CommonArguments>();
    return {{arguments->database_option(), arguments->log_option(), arguments->json_option()},
            [arguments] { return run_undo(*arguments); }};
}

}  // namespace jitune::internal::db_merge_command
