// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tune_result.hpp"

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

std::string comparison(const TuneResult& result) {
    std::vector<Column> columns{{"", Align::left}, {"time", Align::right}};
    Table::Cells before{"default", result.winner.default_median_ns > 0
                                       ? time_text(result.winner.default_median_ns)
                                       : "failed"};
    Table::Cells after{"tuned", time_text(result.winner.median_ns)};
    for (std::size_t i = 0; i < result.metrics.size(); ++i) {
        columns.push_back(
            {metric_title(result.metrics[i].name, result.metrics[i].unit), Align::right});
        before.push_back(i < result.before.size() ? rate_text(result.before[i].value) : "");
        after.push_back(rate_text(result.metrics[i].value));
    }
    columns.push_back({"speed-up", Align::right});
    before.emplace_back();
    after.push_back(speed_up_text(result.winner));
    return Table::text(columns, {before, after}, kWhole);
}

std::string example_call(const TuneResult& result) {
    std::vector<std::string> sizes, types;
    for (const auto& [name, value] : result.sizes) {
        sizes.push_back(name);
    }
    for (const auto& [name, value] : result.types) {
        types.push_back(fmt::format("{{\"{}\", \"{}\"}}", name, value));
    }
    return fmt::format(
        "\nIn an app (#include <jitune/tuned_kernel.hpp>):\n"
        "    jitune::TunedKernel {0}(\"{1}\"{2});\n"
        "    {0}.launch({{{3}}}, {{/* {4} arguments */}}{5});\n",
        result.kernel, result.file,
        types.empty() ? "" : fmt::format(", {{{}}}", fmt::join(types, ", ")),
        fmt::join(sizes, ", "), result.arguments, runs_on_cpu(result.device) ? "" : ", stream");
}

}  // namespace

std::string tune_text(const TuneResult& result) {
    std::string text = comparison(result);
    text +=
        fmt::format("winner: {}{}\n", result.winner.configuration,
                    result.is_left_out ? ", which --only leaves out: nothing in it is better" : "");
    text += result.objective ? objective_text(*result.objective) : "";
    text += tried_text(result.tried);
    text += result.database.empty() ? "not stored, without a database\n"
            : result.kept           ? fmt::format("kept from {}: {}\n", result.database,
                                        result.winner.pinned ? "it is pinned until jitune db unpin"
                                                                       : "this tuning was less sure")
            : result.lacks_winner() ? fmt::format("could not be stored in {}\n", result.database)
                                    : fmt::format("stored in {}\n", result.database);
    for (const KeptConfiguration& one : result.sources) {
        text += fmt::format("source and binary of the {} in {}\n", one.role, one.folder.string());
    }
    text += speed_up_text(result.winner).ends_with('?') ? kDisturbedLegend : "";
    return result.file.ends_with(".json") ? text : text + example_call(result);
}

Json tune_json(const TuneResult& result) {
    Json document;
    document["file"] = result.file;
    document["kernel"] = result.kernel;
    document["device"] = result.device;
    document["device_name"] = result.device_name;
    document["compiler"] = result.compiler;
    document["strategy"] = result.strategy;
    document["database"] = result.database.empty() ? Json(nullptr) : Json(result.database);
    document["sizes"] = Json::object();
    for (const auto& [name, value] : result.sizes) {
        document["sizes"][name] = value;
    }
    document["types"] = Json::object();
    for (const auto& [name, value] : result.types) {
        document["types"][name] = value;
    }
    document["configuration"] = result.winner.configuration;
    document["median_ns"] = json_number(result.winner.median_ns);
    document["noise"] = json_number(result.winner.noise);
    document["default_median_ns"] = json_number(result.winner.default_median_ns);
    document["speed_up"] = json_number(speed_up(result.winner));
    document["metrics"] = metrics_json(result.metrics);
    document["default_metrics"] = metrics_json(result.before);
    document.update(certainty_json(result.winner.certainty));
    document.update(tried_json(result.tried));
    if (result.objective) {
        document.update(objective_json(*result.objective));
    }
    document["complete"] = result.winner.complete;
    document["stored"] = result.stored;
    document["kept"] = result.kept;
    document["sources"] = Json::array();
    for (const KeptConfiguration& one : result.sources) {
        document["sources"].push_back({{"role", one.role},
                                       {"configuration", one.configuration},
                                       {"folder", one.folder.string()}});
    }
    document["interrupted"] = result.tried.interrupted;
    return document;
}

}  // namespace jitune::internal
