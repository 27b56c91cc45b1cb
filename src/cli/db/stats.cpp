// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "cli/app/common_options.hpp"
#include "cli/db/record_json.hpp"
#include "cli/formats/table.hpp"
#include "dispatch/observe/usage_report.hpp"
#include "report/call_views.hpp"
#include "sweep/work_order.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal::stats_command {

namespace {

/// What a database tells of calls.
struct Stats {
    UsageReport usage;
    std::vector<WorkItem> holes;
    std::vector<Pause> pauses;
};

std::string winners_text(const UsageReport& usage, std::size_t width) {
    const View used = used_winners_view(usage);
    return used.rows.empty() ? "" : '\n' + Table::text(used, width);
}

std::string usage_text(const UsageReport& usage, std::size_t width) {
    if (usage.calls == 0) {
        return "no calls are recorded of those that winners serve: JITUNE_RECORD=all records all "
               "calls\n";
    }
    const auto line = [](const std::string& text) { return text.empty() ? "" : text + '\n'; };
    return fmt::format(
               "{} recorded with JITUNE_RECORD=all, {} to {}\n\n{}\n~saved over the "
               "defaults: {}\n{}",
               count_text(usage.calls, "call"), day_text(usage.first_at), day_text(usage.last_at),
               Table::text(answers_view(usage), width), saved_text(usage.saved),
               winners_text(usage, width)) +
           line(replaced_text(usage)) + line(unused_text(usage));
}

double saved_by_all(const std::vector<WorkItem>& holes) {
    double seconds = 0;
    for (const WorkItem& item : holes) {
        seconds += item.saved_s;
    }
    return seconds;
}

std::string holes_text(const std::vector<WorkItem>& holes) {
    if (holes.empty()) {
        return "\nno call is recorded that no winner serves\n";
    }
    constexpr double kShown = 0.005;  // as time_text() rounds
    const std::int64_t provisional = std::ssize(holes) - unserved(holes);
    const std::string count =
        count_text(unserved(holes), "problem") +
        (provisional > 0 ? fmt::format(", with a provisional one: {}", provisional) : "");
    const double saved_ns = saved_by_all(holes) * 1e9;
    if (saved_ns < kShown) {
        return fmt::format(
            "\nwithout a winner: {}; no gain is expected of tuning: jitune worklist show\n", count);
    }
    const CallRecord& first = holes.front().misses.front();
    return fmt::format(
        "\nwithout a winner: {}; tuning would have saved about {}, most of it for {} {} {}: "
        "jitune worklist show\n",
        count, time_text(saved_ns), one_line(first.key.kernel),
        one_line(short_types(first.key.types)), one_line(first.sizes));
}

std::string pauses_text(const std::vector<Pause>& pauses, std::size_t width) {
    if (pauses.empty()) {
        return "\nno call is recorded that waited for an answer\n";
    }
    return "\ncalls that waited for an answer for 1 ms or longer:\n" +
           Table::text(pauses_view(pauses), width);
}

Json saved_json(const SavedTime& saved) {
    return {{"seconds", json_number(saved.seconds)},
            {"low", json_number(saved.low)},
            {"high", json_number(saved.high)}};
}

template <class Record>
Json records_json(const std::vector<Record>& records) {
    return json_list(records, [](const Record& record) { return to_json(record); });
}

Json used_winner_json(const WinnerUsage& row) {
    Json json = winner_json(row.winner);
    json.update({{"calls", row.calls},
                 {"last_served", row.calls == 0 ? Json() : Json(row.last_at)},
                 {"estimated_saved_s", saved_json(row.saved)}});
    return json;
}

Json stats_json(const Stats& stats, const std::vector<CallRecord>& usages) {
    Json origins = Json::object();
    for (const auto& [origin, calls] : stats.usage.origins) {
        origins[origin] = calls;
    }
    return {{"calls", stats.usage.calls},
            {"origins", origins},
            {"calls_in_place_of_provisional_winners", stats.usage.withheld},
            {"calls_of_replaced_winners", stats.usage.replaced},
            {"estimated_saved_s", saved_json(stats.usage.saved)},
            {"winners", json_list(stats.usage.winners, used_winner_json)},
            {"usages", records_json(usages)},
            {"holes", std::ssize(stats.holes)},
            {"estimated_lost_s", json_number(saved_by_all(stats.holes))},
            {"pauses", records_json(stats.pauses)}};
}

int run(const CommonArguments& arguments) {
    const auto store = open_database(arguments.options());
    const std::vector<Winner> winners = store->winners();
    const std::vector<CallRecord> usages = store->calls().uses();
    ComparedTimes times(*store);
    const Stats stats{usage_report_of(winners, usages, times),
                      worklist(store->calls().misses(), winners), store->calls().pauses()};
    if (arguments.json) {
        print_json(stats_json(stats, usages));
    } else {
        const std::size_t width = arguments.table_width();
        print(usage_text(stats.usage, width));
        print(holes_text(stats.holes));
        print(pauses_text(stats.pauses, width));
    }
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    return invocation_of<CommonArguments>(run, [](CommonArguments& given) {
        return std::vector{given.database_option(), given.log_option(), given.verbose_option(),
                           given.json_option()};
    });
}

}  // namespace jitune::internal::stats_command
