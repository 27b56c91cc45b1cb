// SPDX-License-Identifier: Apache-2.0
// jitune db path, verify, digest
#include <iterator>

#include "cli/app/common_options.hpp"
#include "cli/db/winner_filter.hpp"
#include "text/units.hpp"
#include "tuner_db/winners/coverage.hpp"
#include "tuner_db/winners/measurement_journal.hpp"

namespace jitune::internal::db_state_command {

namespace {

bool exists(const Options& options) {
    return !options.database.empty() && std::filesystem::exists(options.database);
}

/// Opens the database as an app does, because that decides the journal mode.
TuningStore::Status status_of(const Options& options) {
    return open_database(options, TuningStore::Access::as_permitted)->status();
}

/// A database that does not exist yet has a path but no state.
Json path_json(const Options& options) {
    if (!exists(options)) {
        return {{"path", options.database.empty() ? Json() : Json(options.database.string())},
                {"exists", false}};
    }
    const TuningStore::Status status = status_of(options);
    return {{"path", status.path},
            {"exists", true},
            {"bytes", status.bytes},
            {"journal_mode", status.journal_mode},
            {"journal_reason", status.journal_reason},
            {"schema_version", status.schema_version},
            {"sqlite_version", status.sqlite_version}};
}

std::string path_text(const Options& options) {
    if (options.database.empty()) {
        return "none: winners are kept in memory only\n";
    }
    if (!exists(options)) {
        return fmt::format(
            "{}\nit does not exist yet; a sweep creates it, and so does an app's first call\n",
            options.database.string());
    }
    const TuningStore::Status status = status_of(options);
    return fmt::format("{}\n{}, schema {}, SQLite {}, journal mode {}: {}\n", status.path,
                       bytes_text(status.bytes), status.schema_version, status.sqlite_version,
                       status.journal_mode, status.journal_reason);
}

int run_path(const CommonArguments& arguments) {
    const Options options = arguments.options();
    if (arguments.json) {
        print_json(path_json(options));
    } else {
        print(path_text(options));
    }
    return kExitOk;
}

std::string journal_line(const MeasurementJournal::Found& journal) {
    return journal.is_in_use
               ? fmt::format("{}: the journal of a tuning that is under way\n",
                             journal.path.string())
               : fmt::format(
                     "{}: the journal of a tuning that was ended; the next tuning takes "
                     "over its {} measurements\n",
                     journal.path.string(), journal.measurements);
}

Json journal_json(const MeasurementJournal::Found& journal) {
    return {{"path", journal.path.string()},
            {"in_use", journal.is_in_use},
            {"measurements", journal.measurements}};
}

int run_verify(const CommonArguments& arguments) {
    const Options options = arguments.options();
    const TuningStore::Check check = open_database(options)->verify();
    const std::string path = options.database.string();
    const std::vector<MeasurementJournal::Found> journals =
        MeasurementJournal::find(options.database);
    std::string text;
    for (const std::string& problem : check.problems) {
        text += problem + '\n';
    }
    for (const MeasurementJournal::Found& journal : journals) {
        text += journal_line(journal);
    }
    print_either(arguments.json,
                 {{"path", path},
                  {"winners", check.winners},
                  {"measurements", check.measurements},
                  {"problems", check.problems},
                  {"journals", json_list(journals, journal_json)}},
                 text + fmt::format("{}: {}, {}, {}\n", path, count_text(check.winners, "winner"),
                                    count_text(check.measurements, "measurement"),
                                    count_text(std::ssize(check.problems), "problem")));
    return check.problems.empty() ? kExitOk : kExitStore;
}

int run_digest(const FilterArguments& arguments) {
    const Options options = arguments.options();
    const std::vector<Winner> winners = arguments.filter.of(
        open_database(options)->winners(), Log(options.log_level, options.log_sink));
    const std::string digest = table_digest(winners);
    print_either(
        arguments.json,
        {{"path", options.database.string()}, {"winners", winners.size()}, {"digest", digest}},
        digest + '\n');
    return kExitOk;
}

}  // namespace

Invocation path_invocation() {
    return invocation_of<CommonArguments>(run_path);
}

Invocation verify_invocation() {
    return invocation_of<CommonArguments>(run_verify);
}

Invocation digest_invocation() {
    return invocation_of<FilterArguments>(run_digest);
}

}  // namespace jitune::internal::db_state_command
