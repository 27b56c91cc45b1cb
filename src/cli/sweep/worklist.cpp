// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "cli/app/common_options.hpp"
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
        replace_file(arguments.file, text);
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

/// The options of all: a file if `help` says what it is, the database and the log.
std::vector<Option> options_of(Arguments& given, const char* help = nullptr) {
    std::vector<Option> options{given.database_option(), given.log_option()};
    if (help != nullptr) {
        options.insert(options.begin(), {"FILE", &given.file, help, {.required = true}});
    }
    return options;
}

}  // namespace

Invocation show_invocation() {
    return invocation_of<Arguments>(show, [](Arguments& given) {
        std::vector<Option> options = options_of(given);
        append(options, {given.verbose_option(), given.json_option()});
        return options;
    });
}

Invocation export_invocation() {
    return invocation_of<Arguments>(write, [](Arguments& given) {
        return options_of(given, "The file to write, JSON; -: standard output");
    });
}

Invocation import_invocation() {
    return invocation_of<Arguments>(read, [](Arguments& given) {
        return options_of(given, "A file written by \"worklist export\", plain or .gz");
    });
}

Invocation clear_invocation() {
    return invocation_of<Arguments>(clear, [](Arguments& given) { return options_of(given); });
}

}  // namespace jitune::internal::worklist_command
