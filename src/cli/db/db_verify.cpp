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
#include "cli/formats/json.hpp"
#include "text/units.hpp"
#include "tuner_db/winners/measurement_journal.hpp"

namespace jitune::internal::db_verify_command {

namespace {

std::string journal_line(const MeasurementJournal::Found& journal) {
    return journal.is_in_use
               ? fmt::format("{}: the journal of a tuning that is under way\n",
                             journal.path.string())
               : fmt::format(
                     "{}: the journal of a tuning that was ended; the next tuning takes "
                     "over its {} measurements\n",
                     journal.path.string(), journal.measurements);
}

Json journals_json(const std::vector<MeasurementJournal::Found>& journals) {
    Json json = Json::array();
    for (const MeasurementJournal::Found& journal : journals) {
        json.push_back({{"path", journal.path.string()},
                        {"in_use", journal.is_in_use},
                        {"measurements", journal.measurements}});
    }
    return json;
}

int run(const CommonArguments& arguments) {
    const Options options = arguments.options();
    const TuningStore::Check check = open_database(options)->verify();
    const std::string path = options.database.string();
    const std::vector<MeasurementJournal::Found> journals =
        MeasurementJournal::find(options.database);
    if (arguments.json) {
        print_json({{"path", path},
                    {"winners", check.winners},
                    {"measurements", check.measurements},
                    {"problems", check.problems},
                    {"journals", journals_json(journals)}});
    } else {
        std::string text;
        for (const std::string& problem : check.problems) {
            text += problem + '\n';
        }
        for (const MeasurementJournal::Found& journal : journals) {
            text += journal_line(journal);
        }
        print(text + fmt::format("{}: {}, {}, {}\n", path, count_text(check.winners, "winner"),
                                 count_text(check.measurements, "measurement"),
                                 count_text(std::ssize(check.problems), "problem")));
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
