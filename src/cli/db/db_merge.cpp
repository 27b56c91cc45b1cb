// SPDX-License-Identifier: Apache-2.0
// jitune db merge, undo, import
#include <filesystem>
#include <iterator>

#include "cli/app/common_options.hpp"
#include "cli/db/bundle.hpp"
#include "cli/db/export_file.hpp"
#include "cli/db/winner_filter.hpp"
#include "support/utf8.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/merge/merge_log.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal::db_merge_command {

namespace {

std::string shown(const std::string& text) {
    return one_line(text, kShownCharacters);
}

std::string meeting_text(const MergeMeeting& meeting) {
    const Winner& first = meeting.first;
    return fmt::format("  {} {} {}: {} {} serves before {} {}: {}{}\n", shown(first.key.kernel),
                       shown(short_types(first.key.types)), shown(first.sizes), short_id(first),
                       meeting.first_is_new ? "(new)" : "(known)", short_id(meeting.second),
                       meeting.first_is_new ? "(known)" : "(new)", meeting.reason,
                       meeting.disagree
                           ? "; their intervals contradict each other: tune once more with --again"
                           : "");
}

/// Counts, for a person, the rows that the merge of `file` has added. Names the pairs of winners
/// that disagree, and those of which the new one serves now.
std::string merge_text(const std::string& file, const MergeReport& report, bool dry_run) {
    if (report.number == 0) {
        return fmt::format(
            "{}: nothing new{}\n", file,
            report.damaged == 0
                ? ""
                : fmt::format("; {} left out", count_text(report.damaged, "damaged row")));
    }
    std::string text = fmt::format(
        "{}: {} and {}{}{}", file, count_text(report.measurements, "new measurement"),
        count_text(report.winners, "new winner"), dry_run ? " would come" : "",
        report.known == 0 ? "" : fmt::format(", {} known", count_text(report.known, "row")));
    if (report.superseded > 0) {
        text += fmt::format(", {} superseded", count_text(report.superseded, "winner"));
    }
    if (report.damaged > 0) {
        text += fmt::format(", {} left out", count_text(report.damaged, "damaged row"));
    }
    text += '\n';
    if (report.without_code > 0) {
        text += fmt::format(
            "  {} no code, which was not trusted: calls that meet {} compile and check {} here\n",
            report.without_code == 1 ? "1 winner has"
                                     : fmt::format("{} winners have", report.without_code),
            report.without_code == 1 ? "it" : "them", report.without_code == 1 ? "it" : "them");
    }
    for (const MergeMeeting& meeting : report.meetings) {
        if (meeting.disagree || (meeting.first_is_new && may_serve(trust_of(meeting.first)))) {
            text += meeting_text(meeting);
        }
    }
    return text;
}

Json meeting_json(const MergeMeeting& meeting) {
    return {{"first", winner_id(meeting.first)},
            {"second", winner_id(meeting.second)},
            {"first_is_new", meeting.first_is_new},
            {"disagree", meeting.disagree},
            {"reason", meeting.reason}};
}

Json merge_json(const std::string& file, const MergeReport& report) {
    return {{"file", file},
            {"merge", report.number},
            {"measurements", report.measurements},
            {"winners", report.winners},
            {"without_code", report.without_code},
            {"known", report.known},
            {"superseded", report.superseded},
            {"damaged", report.damaged},
            {"all_meetings", report.all_meetings},
            {"meetings", json_list(report.meetings, meeting_json)}};
}

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
    print_either(arguments.json,
                 {{"path", options.database.string()},
                  {"source", report.source},
                  {"measurements", report.measurements},
                  {"winners", report.winners}},
                 report.source.empty()
                     ? "nothing to undo: no merge, or the last one was taken back already\n"
                     : fmt::format("took back the merge of {}: {} and {}\n", report.source,
                                   count_text(report.measurements, "measurement"),
                                   count_text(report.winners, "winner")));
    return kExitOk;
}

struct ImportArguments : CommonArguments {
    std::string file;
};

void import_measurements(const Options& options, const std::string& file) {
    const std::vector<Measurement> measurements = read_export(file);
    const auto store = change_or_make_database(options);
    const auto count = [&] {
        return measurements.empty()
                   ? 0
                   : measurements_to_export(*store, measurements.front().key).size();
    };
    const std::size_t before = count();
    store->save(measurements);
    const std::size_t added = count() - before;
    print(fmt::format("{} in {}, {} of them new in {}\n",
                      count_text(std::ssize(measurements), "measurement"), file, added,
                      options.database.string()));
}

int run_import(const ImportArguments& arguments) {
    const Options options = arguments.options();
    if (is_database_file(arguments.file)) {
        OtherDatabase bundle(arguments.file, Log(options.log_level, options.log_sink));
        const auto store = change_or_make_database(options);
        print(merge_text(arguments.file, store->merges().add(bundle.store().merges(), {}), false));
    } else {
        import_measurements(options, arguments.file);
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
    return invocation_of<CommonArguments>(run_undo);
}

Invocation import_invocation() {
    auto arguments = std::make_shared<ImportArguments>();
    return {{{"FILE",
              &arguments->file,
              "A bundle or T4 file that db export has written, plain or .gz",
              {.required = true}},
             arguments->database_option(),
             arguments->log_option()},
            [arguments] { return run_import(*arguments); }};
}

}  // namespace jitune::internal::db_merge_command
