// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tune_result.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/platform_kind.hpp"
#include "cli/db/record_json.hpp"
#include "cli/formats/table.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal {

namespace {

/// 0 if the default has no time.
double speed_up(const Winner& winner) {
    return winner.median_ns > 0 ? winner.default_median_ns / winner.median_ns : 0;
}

/// Of a configuration in that time; none without a time.
std::vector<KernelTemplate::Metric> metrics_at(const Task& task, const Configuration& configuration,
                                               double median_ns) {
    return median_ns > 0 ? task.metrics(configuration, median_ns * 1e-9)
                         : std::vector<KernelTemplate::Metric>();
}

std::vector<KernelTemplate::Metric> metrics_of_default(const TuneResult& result) {
    return metrics_at(result.task, result.task.default_configuration(),
                      result.winner().default_median_ns);
}

std::vector<KernelTemplate::Metric> metrics_of_winner(const TuneResult& result) {
    const Winner& winner = result.winner();
    return metrics_at(result.task, result.task.parse(winner.configuration), winner.median_ns);
}

std::string comparison(const TuneResult& result) {
    const Winner& winner = result.winner();
    const auto of_default = metrics_of_default(result);
    const auto of_winner = metrics_of_winner(result);
    std::vector<Column> columns{{"", Align::left}, {"time", Align::right}};
    Table::Cells before{
        "default", winner.default_median_ns > 0 ? time_text(winner.default_median_ns) : "failed"};
    Table::Cells after{"tuned", time_text(winner.median_ns)};
    for (std::size_t i = 0; i < of_winner.size(); ++i) {
        columns.push_back({metric_title(of_winner[i].name, of_winner[i].unit), Align::right});
        before.push_back(i < of_default.size() ? rate_text(of_default[i].value) : "");
        after.push_back(rate_text(of_winner[i].value));
    }
    columns.push_back({"speed-up", Align::right});
    before.emplace_back();
    after.push_back(speed_up_text(winner));
    return Table::text(columns, {before, after}, kWhole);
}

std::string example_call(const TuneResult& result) {
    const FrontMatter& front = result.task.kernel_template().front_matter();
    std::vector<std::string> types;
    for (const auto& [name, value] : result.task.problem.types) {
        types.push_back(fmt::format("{{\"{}\", \"{}\"}}", name, value));
    }
    const auto arguments =
        std::count_if(front.arguments.begin(), front.arguments.end(),
                      [](const ArgumentSpec& one) { return is_given(one.access); });
    return fmt::format(
        "\nIn an app (#include <jitune/tuned_kernel.hpp>):\n"
        "    jitune::TunedKernel {0}(\"{1}\"{2});\n"
        "    {0}.launch({{{3}}}, {{/* {4} arguments */}}{5});\n",
        front.kernel, result.file,
        types.empty() ? "" : fmt::format(", {{{}}}", fmt::join(types, ", ")),
        fmt::join(front.sizes, ", "), arguments,
        runs_on_cpu(result.task.info().platform) ? "" : ", stream");
}

}  // namespace

std::string tune_text(const TuneResult& result) {
    std::string text = comparison(result);
    text +=
        fmt::format("winner: {}{}\n", result.winner().configuration,
                    result.is_left_out ? ", which --only leaves out: nothing in it is better" : "");
    text += result.objective ? objective_text(*result.objective) : "";
    text += tried_text(result.tried);
    text += result.database.empty() ? "not stored, without a database\n"
            : result.report.kept
                ? fmt::format("kept from {}: {}\n", result.database,
                              result.winner().pinned ? "it is pinned until jitune db unpin"
                                                     : "this tuning was less sure")
            : result.lacks_winner() ? fmt::format("could not be stored in {}\n", result.database)
                                    : fmt::format("stored in {}\n", result.database);
    for (const KeptConfiguration& one : result.sources) {
        text += fmt::format("source and binary of the {} in {}\n", one.role, one.folder.string());
    }
    text += speed_up_text(result.winner()).ends_with('?') ? kDisturbedLegend : "";
    return result.file.ends_with(".json") ? text : text + example_call(result);
}

Json tune_json(const TuneResult& result) {
    const Task& task = result.task;
    const FrontMatter& front = task.kernel_template().front_matter();
    const Winner& winner = result.winner();
    Json document{{"file", result.file},
                  {"kernel", front.kernel},
                  {"device", task.info().id},
                  {"device_name", task.info().name},
                  {"compiler", task.device.compiler()},
                  {"strategy", result.strategy},
                  {"database", result.database.empty() ? Json() : Json(result.database)},
                  {"sizes", Json::object()},
                  {"types", task.problem.types},
                  {"configuration", winner.configuration},
                  {"median_ns", json_number(winner.median_ns)},
                  {"noise", json_number(winner.noise)},
                  {"default_median_ns", json_number(winner.default_median_ns)},
                  {"speed_up", json_number(speed_up(winner))},
                  {"metrics", metrics_json(metrics_of_winner(result))},
                  {"default_metrics", metrics_json(metrics_of_default(result))}};
    for (std::size_t i = 0; i < front.sizes.size(); ++i) {
        document["sizes"][front.sizes[i]] = task.problem.sizes[i];
    }
    document.update(certainty_json(winner.certainty));
    document.update(tried_json(result.tried));
    if (result.objective) {
        document.update(objective_json(*result.objective));
    }
    document["complete"] = winner.complete;
    document["stored"] = result.is_stored();
    document["kept"] = result.report.kept;
    document["sources"] = json_list(result.sources, [](const KeptConfiguration& one) -> Json {
        return {{"role", one.role},
                {"configuration", one.configuration},
                {"folder", one.folder.string()}};
    });
    document["interrupted"] = result.tried.interrupted;
    return document;
}

}  // namespace jitune::internal
