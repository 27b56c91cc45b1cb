// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "cli/app/common_options.hpp"
#include "cli/db/bundle.hpp"
#include "cli/db/export_file.hpp"
#include "cli/db/record_json.hpp"
#include "cli/db/winner_filter.hpp"
#include "cli/formats/foreign_results.hpp"
#include "measure/statistics.hpp"
#include "support/temp_dir.hpp"
#include "support/text_file.hpp"
#include "text/units.hpp"
#include "tuner_db/winners/precedence.hpp"

namespace jitune::internal::db_export_command {

namespace {

struct Arguments : FilterArguments {
    std::string t4;
    std::string kernel_tuner;
    std::string bundle;
    std::string lines;
};

/// Copies what the filter chooses to a new database, as a merge does: the winners with their code,
/// and the measurements of their kernels, types and devices.
MergeReport copy_to(TuningStore& into, TuningStore& from, const WinnerFilter& filter,
                    const Log& log) {
    MergeOptions options{.trust_code = true};
    std::vector<RecordKey> keys;
    if (!filter.is_empty()) {
        for (const Winner& winner : filter.of(from.winners(), log)) {
            keys.push_back(winner.key);
        }
        options.wants = [&filter](const Winner& winner) { return filter.matches(winner); };
        options.wants_key = [keys](const RecordKey& key) {
            return std::any_of(keys.begin(), keys.end(),
                               [&](const RecordKey& one) { return one.is_like(key); });
        };
    }
    return into.merges().add(from.merges(), options);
}

void export_bundle(const Arguments& arguments, const Options& options, const Log& log) {
    const TempDir folder;
    const auto from = open_database(options);
    const std::filesystem::path draft = folder.path() / "bundle.db";
    MergeReport report;
    {
        const auto into = TuningStore::open(draft, TuningStore::Access::read_write, log);
        report = copy_to(*into, *from, arguments.filter, log);
        into->compact();
    }
    write_bundle(draft, arguments.bundle);
    print(fmt::format("{}: {} and {}\n", arguments.bundle, count_text(report.winners, "winner"),
                      count_text(report.measurements, "measurement")));
}

/// One object to a line: all winners, then all measurements of their keys.
void export_lines(const Arguments& arguments, const Options& options, const Log& log) {
    const auto store = open_database(options);
    const std::vector<Winner> winners = arguments.filter.of(store->winners(), log);
    std::string text;
    for (const Winner& winner : winners) {
        Json line{{"record", "winner"}, {"id", winner_id(winner)}};
        line.update(flat_json(winner));
        text += json_text(line) + "\n";
    }
    std::set<std::string> done;
    for (const Winner& winner : winners) {
        for (const Measurement& one : measurements_to_export(*store, winner.key)) {
            Json line{{"record", "measurement"}};
            line.update(flat_json(one));
            if (one.verdict == Verdict::timed) {
                const Summary summary = summarize(one.samples_ns);
                line["median_ns"] = summary.median_ns;
                line["noise"] = summary.noise;
            }
            if (const std::string row = json_text(line); done.insert(row).second) {
                text += row + "\n";
            }
        }
    }
    if (arguments.lines == "-") {
        print(text);
    } else {
        replace_file(arguments.lines, text);
    }
}

/// For other tools: the measurements of one winner's key.
void export_measurements(const Arguments& arguments, const Options& options) {
    const auto store = open_database(options);
    const RecordKey key = arguments.filter.only_one(store->winners()).key;
    if (arguments.t4.empty()) {
        replace_file(arguments.kernel_tuner,
                     kernel_tuner_cache(store->measurements().of(key)) + '\n');
    } else {
        replace_file(arguments.t4,
                     json_text(export_document(measurements_to_export(*store, key)), 1) + '\n');
    }
}

int run(const Arguments& arguments) {
    const Options options = arguments.options();
    const Log log(options.log_level, options.log_sink);
    const std::vector<std::pair<const char*, const std::string*>> files{
        {"--t4", &arguments.t4},
        {"--kernel-tuner", &arguments.kernel_tuner},
        {"--bundle", &arguments.bundle},
        {"--lines", &arguments.lines}};
    const auto given = std::count_if(files.begin(), files.end(),
                                     [](const auto& one) { return !one.second->empty(); });
    if (given != 1) {
        throw Error(
            ErrorKind::usage,
            "db export writes one file: give one of --bundle, --kernel-tuner, --lines, --t4");
    }
    for (const auto& [option, file] : files) {
        if (!file->empty()) {
            refuse_overwriting_database(options.database, option, *file);
        }
    }
    if (!arguments.bundle.empty()) {
        export_bundle(arguments, options, log);
    } else if (!arguments.lines.empty()) {
        export_lines(arguments, options, log);
    } else {
        export_measurements(arguments, options);
    }
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options = arguments->filter.options();
    append(
        options,
        {{"--bundle", &arguments->bundle,
          "A file for db merge, .db or .db.gz: the winners that match, all without a filter, "
          "with their measurements and their code"},
         {"--lines", &arguments->lines,
          "JSON lines for other tools: the same without code; - prints them"},
         {"--t4", &arguments->t4, "T4 JSON: the measurements of one winner's kernel and types"},
         {"--kernel-tuner", &arguments->kernel_tuner, "The same as a cache file of Kernel Tuner"},
         arguments->database_option(),
         arguments->log_option()});
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_export_command
