// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/db/record_json.hpp"
#include "cli/formats/table.hpp"
#include "cli/sweep/worklist_file.hpp"
#include "report/call_views.hpp"
#include "support/text_file.hpp"
#include "text/units.hpp"

namespace jitune::internal::worklist_command {

namespace {

struct Arguments : CommonArguments {
    std::string file;
};

int show(const Arguments& arguments) {
    const auto store = open_database(arguments.options());
    const std::vector<WorkItem> items = worklist_of(*store);
    const std::vector<Doubt> doubts = store->calls().doubts();
    if (arguments.json) {
        Json document = worklist_json(items);
        document["doubts"] =
            json_list(doubts, [](const Doubt& doubt) { return doubt_json(doubt); });
        print_json(document);
    } else {
        const std::size_t width = arguments.table_width();
        print(items.empty() ? "no call is recorded that no winner serves\n"
                            : Table::text(worklist_view(items), width));
        if (!doubts.empty()) {
            print("winners in doubt, which are raced again before anything is tuned:\n" +
                  Table::text(doubts_view(doubts), width));
        }
    }
    return kExitOk;
}

int write(const Arguments& arguments) {
    const Options options = arguments.options();
    refuse_overwriting_database(options.database, "FILE", arguments.file);
    const std::string text =
        json_text(worklist_json(worklist_of(*open_database(options))), 1) + '\n';
    if (arguments.file == "-") {
        print(text);
    } else {
        write_file(arguments.file, {text});
    }
    return kExitOk;
}

int read(const Arguments& arguments) {
    const Options options = arguments.options();
    const std::vector<CallRecord> misses = read_worklist(arguments.file);
    const auto store = change_or_make_database(options);
    store->calls().add({.calls = misses});
    print(fmt::format("{} in {}, {} in the work-list now\n",
                      count_text(std::ssize(misses), "problem"), arguments.file,
                      store->calls().misses().size()));
    return kExitOk;
}

int clear(const Arguments& arguments) {
    const auto store = change_database(arguments.options());
    const std::vector<CallRecord> misses = store->calls().misses();
    store->calls().remove(misses);
    print(
        fmt::format("{} removed from the work-list\n", count_text(std::ssize(misses), "problem")));
    const std::vector<Doubt> doubts = store->calls().doubts();
    store->calls().remove(doubts);
    if (!doubts.empty()) {
        print(fmt::format("{} about winners forgotten\n", count_text(std::ssize(doubts), "doubt")));
    }
    return kExitOk;
}

Invocation invocation_of(int (*run)(const Arguments&), std::vector<Option> (*own)(Arguments&)) {
    auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options = own(*arguments);
    append(options, {arguments->database_option(), arguments->log_option()});
    return {std::move(options), [arguments, run] { return run(*arguments); }};
}

}  // namespace

Invocation show_invocation() {
    return invocation_of(show, [](Arguments& given) {
        return std::vector{given.verbose_option(), given.json_option()};
    });
}

Invocation export_invocation() {
    return invocation_of(write, [](Arguments& given) {
        return std::vector<Option>{{"FILE",
                                    &given.file,
                                    "The file to write, JSON; -: standard output",
                                    {.required = true}}};
    });
}

Invocation import_invocation() {
    return invocation_of(read, [](Arguments& given) {
        return std::vector<Option>{{"FILE",
                                    &given.file,
                                    "A file written by \"worklist export\", plain or .gz",
                                    {.required = true}}};
    });
}

Invocation clear_invocation() {
    return invocation_of(clear, [](Arguments&) { return std::vector<Option>{}; });
}

}  // namespace jitune::internal::worklist_command
