// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_text.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/app/exit_code.hpp"
#include "cli/app/progress.hpp"
#include "cli/db/record_json.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

/// Whether there is a "?" behind a speed-up of the row.
bool is_marked(const SweepRow& row) {
    return (row.has_winner() && row.is_disturbed()) ||
           std::any_of(row.ranges.begin(), row.ranges.end(),
                       [](const Winner& winner) { return speed_up_text(winner).ends_with('?'); });
}

}  // namespace

std::string sweep_legend(const std::vector<SweepRow>& rows) {
    const auto any = [&](const auto& marked) {
        return std::any_of(rows.begin(), rows.end(),
                           [&](const SweepRow& row) { return row.has_winner() && marked(row); });
    };
    std::string text;
    if (any([](const SweepRow& row) {
            return row.outcome == SweepRow::Outcome::tuned && !row.complete;
        })) {
        text +=
            "* ended before the strategy was done (budget, --evaluations, --target or Ctrl-C)\n";
    }
    const auto is_pinned = [](const SweepRow& row) { return row.note.starts_with("pinned"); };
    if (any(is_pinned)) {
        text += "pinned winners stay until jitune db unpin\n";
    }
    if (any([&](const SweepRow& row) {
            return row.outcome == SweepRow::Outcome::tuned && !row.note.empty() && !is_pinned(row);
        })) {
        text += "winners whose tuning here was less sure than before stay as they were\n";
    }
    if (std::any_of(rows.begin(), rows.end(), is_marked)) {
        text += kDisturbedLegend;
    }
    if (any([](const SweepRow& row) {
            return row.outcome == SweepRow::Outcome::skipped && row.note.starts_with("complete");
        })) {
        text += "complete problems were skipped: --again races their winners\n";
    }
    return text;
}

namespace {

std::string_view outcome_name(SweepRow::Outcome outcome) {
    switch (outcome) {
        case SweepRow::Outcome::tuned:
            return "tuned";
        case SweepRow::Outcome::skipped:
            return "skipped";
        case SweepRow::Outcome::handed_back:
            return "handed back";
        case SweepRow::Outcome::not_started:
            return "not started";
        case SweepRow::Outcome::failed:
            break;
    }
    return "failed";
}

/// "n=1024..4096, at most 2.0 % slower than the best at 12 held-out sizes"
std::string range_text(const Winner& winner) {
    const WinnerRange& range = winner.range;
    return fmt::format("{}{}, {}", range.unsure ? "unsure " : "", short_served_text(winner),
                       bound_sentence(range));
}

Json range_json(const Winner& winner) {
    return {{"serves", served_text(winner)},
            {"sizes", winner.sizes},
            {"configuration", winner.configuration},
            {"median_ns", winner.median_ns},
            {"default_median_ns", winner.default_median_ns},
            {"loss_bound", winner.range.loss_bound},
            {"held_out", winner.range.held_out},
            {"unsure", winner.range.unsure},
            {"by_default", winner.range.by_default},
            {"provisional", is_provisional(winner.certainty)}};
}

/// Whether winners that were tuned are missing in the database.
bool lacks_winners(const SweepResult& result) {
    return !result.database.empty() && result.stored() < result.count(SweepRow::Outcome::tuned);
}

std::string storage_text(const SweepResult& result) {
    if (result.database.empty()) {
        return "nothing was stored, without a database";
    }
    const std::size_t tuned = result.count(SweepRow::Outcome::tuned);
    if (lacks_winners(result)) {
        return fmt::format("{} of {} winners could not be stored in {}", tuned - result.stored(),
                           tuned, result.database);
    }
    if (tuned == 0 && !result.stopped.empty()) {
        return fmt::format("what was measured is stored in {}: the same command goes on with it",
                           result.database);
    }
    return tuned > 0 ? fmt::format("stored in {}", result.database) : "no new winner to store";
}

constexpr std::size_t kRate = 1;  // the place of the rate behind the problem and the device

constexpr std::size_t kCells = 7;  // behind the problem and the device

std::vector<Column> sweep_columns(const SweepPlan& plan, bool several_devices) {
    std::vector<Column> columns = plan.columns;
    if (several_devices) {
        columns.push_back({"device"});
    }
    for (const Column& column : {Column{"time", Align::right, 8},
                                 {plan.rate, Align::right, 5},
                                 {"speed-up", Align::right, 13},
                                 detail("tried", Align::right),
                                 detail("failed", Align::right),
                                 detail("space", Align::right),
                                 {"configuration", Align::left, 24}}) {
        if (!column.title.empty()) {
            columns.push_back(column);
        }
    }
    return columns;
}

/// "7 for 96.4 %": how many configurations serve how much of the range for sure; the only one by
/// its name, if it serves all.
std::string configurations_text(const SweepProblem& problem, const SweepRow& row) {
    std::set<std::string> names;
    for (const Winner& winner : row.ranges) {
        names.insert(server_text(winner));
    }
    const std::string share = served_percent(served_share(problem, row));
    return names.size() == 1 && share == served_percent(1)
               ? *names.begin()
               : fmt::format("{} for {}", names.size(), share);
}

}  // namespace

SweepTable::SweepTable(const SweepPlan& plan, const std::vector<std::string>& devices,
                       std::size_t width)
    : plan_(plan),
      several_devices_(devices.size() > 1),
      is_whole_(width == kWhole),
      table_(sweep_columns(plan, several_devices_), width) {
    std::vector<Table::Cells> rows;
    for (std::size_t problem = 0; problem < plan.problems.size(); ++problem) {
        for (const std::string& device : devices) {
            rows.push_back(cells(problem, device, Table::Cells(kCells)));
        }
    }
    table_.fit(rows);
}

Table::Cells SweepTable::cells(std::size_t problem, const std::string& device,
                               const Table::Cells& rest) const {
    Table::Cells cells = plan_.problems.at(problem).cells;
    if (several_devices_) {
        cells.push_back(device);
    }
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (i != kRate || !plan_.rate.empty()) {
            cells.push_back(rest[i]);
        }
    }
    return cells;
}

std::string SweepTable::lines(const SweepRow& row) const {
    std::string text = line(row);
    if (!is_whole_) {
        return text;
    }
    for (const Winner& winner : row.ranges) {
        Table::Cells rest(kCells);
        rest[0] = time_text(winner.median_ns);
        rest[2] = winner.default_median_ns > 0 ? speed_up_text(winner) : "";
        rest[6] = fmt::format("{}: {}", range_text(winner), server_text(winner));
        text += table_.line(cells(row.problem, row.device, rest));
    }
    return text;
}

std::string SweepTable::rate_of(const SweepRow& row) const {
    if (plan_.metric.empty()) {
        return row.bytes > 0 ? rate_text(row.gb_per_s()) : "";
    }
    const auto found = std::find_if(
        row.metrics.begin(), row.metrics.end(),
        [&](const KernelTemplate::Metric& metric) { return metric.name == plan_.metric; });
    return found == row.metrics.end() ? "" : rate_text(found->value);
}

std::string SweepTable::line(const SweepRow& row) const {
    const bool is_tuned = row.outcome == SweepRow::Outcome::tuned;
    Table::Cells rest(kCells);
    if (row.has_winner()) {
        rest[6] = row.configuration;
        if (row.has_time()) {
            rest[0] = time_text(row.median_ns) + (is_tuned && !row.complete ? "*" : "");
            rest[kRate] = rate_of(row);
            rest[2] = speed_up_text(row.speed_up(), row.certainty);
        }
    } else if (!row.ranges.empty()) {
        std::vector<const Winner*> winners;
        for (const Winner& winner : row.ranges) {
            winners.push_back(&winner);
        }
        rest[2] = speed_ups_cell(winners).text;
        rest[6] = configurations_text(plan_.problems.at(row.problem).problem, row);
    }
    if (row.has_winner() && is_tuned) {
        rest[3] = fmt::format("{}", row.tune.evaluated);
        rest[4] = fmt::format("{}", row.tune.failed);
        rest[5] = fmt::format("{}", row.tune.space);
    }
    if (is_tuned) {
        return table_.line(cells(row.problem, row.device, rest));
    }
    const std::string note = fmt::format("{}: {}", outcome_name(row.outcome), one_line(row.note));
    if (!rest[6].empty()) {
        const std::string configuration =
            std::exchange(rest[6], fmt::format("{}: {}", note, rest[6]));
        const std::string line = table_.line(cells(row.problem, row.device, rest));
        if (line.find(note) != std::string::npos) {
            return line;
        }
        rest[6] = configuration;  // the reason does not fit beside it
        return table_.line(cells(row.problem, row.device, rest)) + "  " + note + '\n';
    }
    std::string line = table_.line(cells(row.problem, row.device, rest));
    line.pop_back();
    return line + "  " + note + '\n';  // the reason whole, however long
}

std::string sweep_title(const SweepPlan& plan, const SweepDescription& sweep) {
    std::string settings;
    for (const auto& [name, value] : plan.settings) {
        settings += value + ", ";
    }
    return fmt::format("{} on {} ({}), {}, {}strategy {}\n", plan.kernel, sweep.device,
                       sweep.device_name, sweep.compiler, settings, sweep.strategy);
}

std::string sweep_summary(const SweepPlan& plan, const SweepResult& result) {
    std::string text = sweep_legend(result.rows);
    if (result.interrupted) {
        text +=
            fmt::format("interrupted: the sweep is incomplete, {} of {} {} begun\n", result.begun,
                        count_text(static_cast<std::int64_t>(result.problems), "problem"),
                        result.problems == 1 ? "was" : "were");
    }
    for (const StoppedRange& one : result.stopped) {
        text += fmt::format("stopped in the middle: {} on {}, {}\n", one.name, one.device,
                            one.tune.range ? range_progress_text(*one.tune.range)
                                           : "before its first search had ended");
    }
    return text +
           fmt::format("{} tuned, {} skipped, {} not started, {} failed in {}; {}\n",
                       result.count(SweepRow::Outcome::tuned),
                       result.count(SweepRow::Outcome::skipped),
                       result.count(SweepRow::Outcome::not_started),
                       result.count(SweepRow::Outcome::failed), clock_text(result.seconds),
                       storage_text(result)) +
           sweep_gain(plan, result);
}

Json sweep_row_json(const SweepPlan& plan, const SweepRow& row, bool has_database) {
    Json json = plan.problems.at(row.problem).json;
    json["device"] = row.device;
    json["outcome"] = outcome_name(row.outcome);
    if (!row.note.empty()) {
        json["note"] = row.note;
    }
    for (const Winner& winner : row.ranges) {
        json["ranges"].push_back(range_json(winner));
    }
    if (row.outcome == SweepRow::Outcome::tuned) {
        json["stored"] = row.stored && has_database;
    }
    if (!row.has_winner()) {
        return json;
    }
    json["configuration"] = row.configuration;
    if (row.has_time()) {
        json["median_ns"] = row.median_ns;
        json["noise"] = row.noise;
        json["gb_per_s"] = row.bytes > 0 ? Json(row.gb_per_s()) : Json();
        json["default_median_ns"] = row.default_median_ns;
        json["speed_up"] = row.speed_up();
    }
    if (!row.metrics.empty()) {
        json["metrics"] = metrics_json(row.metrics);
    }
    if (row.before_ns > 0) {
        json["before_ns"] = row.before_ns;
    }
    json.update(certainty_json(row.certainty));
    json["complete"] = row.complete;
    if (row.outcome == SweepRow::Outcome::tuned) {
        json["evaluated"] = row.tune.evaluated;
        json["failed"] = row.tune.failed;
        json["space"] = row.tune.space;
    }
    return json;
}

Json sweep_json(const SweepPlan& plan, const SweepResult& result) {
    Json rows = Json::array();
    for (const SweepRow& row : result.rows) {
        rows.push_back(sweep_row_json(plan, row, !result.database.empty()));
    }
    Json json{{"kernel", plan.kernel},
              {"device", result.device},
              {"device_name", result.device_name},
              {"compiler", result.compiler},
              {"strategy", result.strategy},
              {"seed", result.seed},
              {"budget_s", result.budget_s},
              {"database", result.database.empty() ? Json() : Json(result.database)},
              {"problems", result.problems},
              {"begun", result.begun},
              {"seconds", result.seconds},
              {"interrupted", result.interrupted},
              {"store_errors", result.store_errors},
              {"rows", rows}};
    for (const auto& [name, value] : plan.settings) {
        json[name] = value;
    }
    return json;
}

int sweep_exit_code(const SweepResult& result) {
    if (result.interrupted) {
        return kExitInterrupted;
    }
    if (lacks_winners(result)) {
        return kExitStore;
    }
    if (result.count(SweepRow::Outcome::failed) > 0) {
        return kExitFailed;
    }
    return result.count(SweepRow::Outcome::not_started) > 0 ? kExitUnavailable : kExitOk;
}

}  // namespace jitune::internal
