// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/doubt_text.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/record_json.hpp"
#include "cli/table.hpp"
#include "cli/winner_filter.hpp"
#include "jitune/error.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winner_table.hpp"

namespace jitune::internal::db_list_command {

namespace {

Json list_json(const std::string& path, const std::vector<Winner>& winners,
               const std::vector<Doubt>& doubts) {
    Json rows = Json::array();
    for (const Winner& winner : winners) {
        Json row = winner_json(winner);
        row["doubt"] = doubt_json(doubts, winner);
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
        rows.push_back({short_id(winner) + (winner.pinned ? "*" : ""), winner.key.kernel,
                        short_types(winner.key.types), short_served_text(winner),
                        winner.provenance.device_name,
                        time_text(winner.median_ns) + (in_doubt ? "!" : ""), speed_up_text(winner),
                        winner.image_format == kNoCode ? "no code" : bound_text(winner.range),
                        winner.configuration});
    }
    std::string text = Table::text({{"id"},
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
    const auto any = [&](const auto& has) {
        return std::any_of(winners.begin(), winners.end(), has);
    };
    text +=
        any([](const Winner& winner) { return winner.image_format == kNoCode; })
            ? "no code: serves nothing until a call that may tune, or a sweep, has compiled and "
              "checked the configuration\n"
            : "";
    text += any([](const Winner& winner) { return winner.pinned; })
                ? "* is pinned: it serves, and is not replaced\n"
                : "";
    return text;
}

struct Arguments : CommonArguments {
    WinnerFilter filter;
    std::optional<std::int64_t> skip;
    std::optional<std::int64_t> limit;
};

std::int64_t checked(const char* option, std::optional<std::int64_t> number, std::int64_t usual) {
    if (number && *number < 0) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} {}: give a number of rows, 0 or more", option, *number));
    }
    return number.value_or(usual);
}

/// The winners that match, a page of them where one is asked for.
std::vector<Winner> chosen(const Arguments& arguments, TuningStore& store, const Log& log) {
    const std::int64_t skip = checked("--skip", arguments.skip, 0);
    const std::int64_t limit =
        checked("--limit", arguments.limit, std::numeric_limits<std::int64_t>::max());
    arguments.filter.check();
    if (limit == 0) {
        return {};
    }
    std::vector<Winner> page = store.winners(
        [&](const Winner& winner) { return arguments.filter.matches(winner); }, skip, limit);
    // All rows tell whether a name is unknown, or nothing matches.
    return page.empty() && skip == 0 ? arguments.filter.of(store.winners(), log) : page;
}

int run(const Arguments& arguments) {
    const Options options = arguments.options();
    const auto store = open_database(options);
    const auto winners = chosen(arguments, *store, Log(options.log_level, options.log_sink));
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
    auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options = arguments->filter.options();
    append(options, {{"--limit", &arguments->limit, "The most rows to list [all]"},
                     {"--skip", &arguments->skip, "Leave out so many rows first [0]"},
                     arguments->database_option(),
                     arguments->log_option(),
                     arguments->json_option()});
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_list_command
