// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/doubt_text.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/record_json.hpp"
#include "cli/table.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winner_table.hpp"

namespace jitune::internal::db_list_command {

namespace {

Json list_json(const std::string& path, const std::vector<Winner>& winners,
               const std::vector<Doubt>& doubts) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < winners.size(); ++i) {
        Json row{{"row", i + 1}};
        row.update(winner_json(winners[i]));
        row["doubt"] = doubt_json(doubts, winners[i]);
        rows.push_back(row);
    }
    return {{"path", path}, {"winners", rows}};
}

std::string list_text(const std::vector<Winner>& winners, const std::vector<Doubt>& doubts) {
    std::vector<Table::Cells> rows;
    bool disturbed = false;
    bool doubted = false;
    for (const Winner& winner : winners) {
        disturbed = disturbed || speed_up_text(winner).ends_with('?');
        const bool in_doubt = doubt_about(doubts, winner) != nullptr;
        doubted = doubted || in_doubt;
        rows.push_back({fmt::format("{}", rows.size() + 1), winner.key.kernel,
                        short_types(winner.key.types), short_served_text(winner),
                        winner.provenance.device_name,
                        time_text(winner.median_ns) + (in_doubt ? "!" : ""), speed_up_text(winner),
                        bound_text(winner.range), winner.configuration});
    }
    std::string text = Table::text({{"row", Align::right},
                                    {"kernel"},
                                    {"types"},
                                    {"serves"},
                                    {"device"},
                                    {"time", Align::right},
                                    {"speed-up", Align::right},
                                    {"bound", Align::right},
                                    {"configuration"}},
                                   rows);
    text += disturbed ? kDisturbedLegend : "";
    text += doubted ? kDoubtLegend : "";
    return text;
}

int run(const CommonArguments& arguments) {
    const Options options = arguments.options();
    const auto store = open_database(options);
    const auto winners = store->winners();
    const auto doubts = store->doubts();
    if (arguments.json) {
        print_json(list_json(options.database.string(), winners, doubts));
    } else {
        print(list_text(winners, doubts));
    }
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<CommonArguments>();
    return {{arguments->database_option(), arguments->log_option(), arguments->json_option()},
            [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_list_command
