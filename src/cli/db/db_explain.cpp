// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/db/explain_arguments.hpp"
#include "cli/db/record_json.hpp"
#include "cli/families/kernel_arguments.hpp"
#include "cli/families/parameter_words.hpp"
#include "cli/formats/table.hpp"
#include "dispatch/answer/explanation.hpp"
#include "dispatch/session_access.hpp"
#include "families/own/kernel_file.hpp"
#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/winner_table.hpp"
#include "tuning/finals/finals.hpp"

namespace jitune::internal::db_explain_command {

namespace {

/// `sizes` are those of the problem, as sizes_text().
Json explanation_json(const Explanation& explanation, const std::string& sizes) {
    Json rows = Json::array();
    for (const ExplainedRow& row : explanation.rows) {
        Json json{
            {"serves", row.serves}, {"octaves", json_number(row.octaves)}, {"reason", row.reason}};
        json.update(
            {{"calls", row.calls}, {"last_served", row.calls == 0 ? Json() : Json(row.last_at)}});
        json.update(winner_json(row.winner));
        rows.push_back(json);
    }
    Json costs = Json::array();
    for (const ExplainedCost& cost : explanation.costs) {
        costs.push_back({{"configuration", cost.configuration},
                         {"ns", json_number(cost.ns)},
                         {"measured", cost.octaves == 0},
                         {"octaves", json_number(cost.octaves)},
                         {"default", cost.is_default}});
    }
    return {{"key", to_json(explanation.key)},
            {"sizes", sizes},
            {"half_octaves", half_octaves_json(explanation.key.bucket, sizes)},
            {"answer", explanation.answer},
            {"rows", rows},
            {"costs", costs}};
}

/// "measured" or "estimated from sizes 0.31 octaves away"
std::string source_text(const ExplainedCost& cost) {
    return cost.octaves == 0 ? "measured"
                             : fmt::format("estimated from sizes {:.2f} octave{} away",
                                           cost.octaves, cost.octaves == 1 ? "" : "s");
}

std::string costs_text(const std::vector<ExplainedCost>& costs, const std::string& sizes,
                       std::size_t width) {
    std::vector<Table::Cells> rows;
    for (const ExplainedCost& cost : costs) {
        rows.push_back({time_text(cost.ns), fmt::format("{:.3f}", cost.ns / costs.front().ns),
                        cost.is_default ? "default" : "", cost.configuration, source_text(cost)});
    }
    return rows.empty() ? ""
                        : "\ntimes at " + sizes + ":\n" +
                              Table::text({{"time", Align::right},
                                           {"over best", Align::right},
                                           {""},
                                           {"configuration"},
                                           detail("source")},
                                          rows, width);
}

std::string words_text(const std::vector<ExplainedSetting>& settings, std::size_t width) {
    std::vector<Table::Cells> rows;
    for (const ExplainedSetting& setting : settings) {
        rows.push_back({setting.name, setting.value, setting.meaning});
    }
    return rows.empty() ? ""
                        : '\n' + Table::text({{"parameter"}, {"value"}, {"meaning"}}, rows, width);
}

Json words_json(const std::vector<ExplainedSetting>& settings) {
    Json rows = Json::array();
    for (const ExplainedSetting& setting : settings) {
        rows.push_back(
            {{"name", setting.name}, {"value", setting.value}, {"meaning", setting.meaning}});
    }
    return rows;
}

/// The reason of the answer is whole; other reasons are cut to fit the table.
std::string explanation_text(const Explanation& explanation, const std::string& words,
                             std::size_t width) {
    constexpr std::size_t kShown = 8;
    std::vector<Table::Cells> rows;
    std::string why;
    std::int64_t others = 0;
    for (const ExplainedRow& row : explanation.rows) {
        if (row.winner.key.types != explanation.key.types) {
            ++others;
            continue;
        }
        why = rows.empty() ? row.reason : why;
        rows.push_back({row.serves ? "yes" : "no", fmt::format("{:.2f}", row.octaves),
                        short_served_text(row.winner), row.winner.configuration,
                        row.winner.reproducibility, row.reason});
    }
    std::string text = one_line(explanation.answer) + '\n';
    if (!why.empty()) {
        text += fmt::format("why: {}\n", one_line(why));
    }
    text += words;
    if (!rows.empty()) {
        const std::int64_t left_out =
            width == kWhole ? 0 : std::ssize(rows) - static_cast<std::int64_t>(kShown);
        if (left_out > 0) {
            rows.resize(kShown);
        }
        text += '\n' + Table::text({{"serves"},
                                    {"octaves", Align::right},
                                    {"range"},
                                    {"configuration"},
                                    detail("reproducibility"),
                                    detail("reason")},
                                   rows, width);
        text += left_out > 0 ? fmt::format("and {} further away: --verbose lists them\n",
                                           count_text(left_out, "winner"))
                             : "";
    }
    return text + (others == 0 ? ""
                               : fmt::format("{} of other types or operations: jitune db list\n",
                                             count_text(others, "winner")));
}

/// The measurements of a key that a search has timed, with their medians, fastest first.
/// The last verdict on a configuration counts.
std::vector<std::pair<double, Measurement>> candidates(TuningStore& store, const RecordKey& key) {
    std::map<std::pair<std::string, std::string>, Measurement> last;
    for (Measurement& measurement : store.measurements().of(key)) {
        if (is_of_search(measurement)) {
            last.insert_or_assign({measurement.sizes, measurement.configuration}, measurement);
        }
    }
    std::vector<std::pair<double, Measurement>> result;
    for (auto& [place, measurement] : last) {
        if (measurement.verdict == Verdict::timed) {
            const double median_ns = summarize(measurement.samples_ns).median_ns;
            result.emplace_back(median_ns, std::move(measurement));
        }
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return result;
}

std::string candidates_text(TuningStore& store, const RecordKey& key, std::size_t width) {
    constexpr std::size_t kShown = 20;
    std::vector<Table::Cells> rows;
    for (const auto& [median_ns, measurement] : candidates(store, key)) {
        if (rows.size() < kShown) {
            rows.push_back({time_text(median_ns), measurement.sizes, measurement.configuration});
        }
    }
    if (rows.empty()) {
        return "";
    }
    return "\ncandidates, timed end to end from host memory:\n" +
           Table::text({{"time", Align::right}, {"sizes"}, {"configuration"}}, rows, width);
}

Json candidates_json(TuningStore& store, const RecordKey& key) {
    Json rows = Json::array();
    for (const auto& [median_ns, measurement] : candidates(store, key)) {
        rows.push_back({{"median_ns", json_number(median_ns)},
                        {"sizes", measurement.sizes},
                        {"configuration", measurement.configuration}});
    }
    return rows;
}

void show(const ExplainArguments& arguments, Engine& engine, const Task& task) {
    const Explanation explanation = explain(engine, task);
    // A parameter of a kernel in a file may have the name of one of jitune's, and another meaning.
    std::vector<ExplainedSetting> settings;
    if (arguments.file.empty()) {
        settings =
            explain_configuration(task.kernel_template().front_matter(), explanation.configuration);
    }
    const bool placed = runs_placements(task.info().platform);
    if (arguments.json) {
        Json json = explanation_json(explanation, task.sizes());
        json["settings"] = words_json(settings);
        if (placed && engine.store() != nullptr) {
            json["candidates"] = candidates_json(*engine.store(), explanation.key);
        }
        print_json(json);
    } else {
        const std::size_t width = arguments.table_width();
        print(explanation_text(explanation, words_text(settings, width), width));
        print(costs_text(explanation.costs, task.sizes(), width));
        print(placed && engine.store() != nullptr
                  ? candidates_text(*engine.store(), explanation.key, width)
                  : "");
    }
}

/// The options without a database if the file is missing: a session would create it, and there is
/// nothing in it to explain. Throws Error(store) for a database that cannot be used.
Options explained_options(const ExplainArguments& arguments) {
    Options options = arguments.options();
    std::error_code error;
    if (options.database.empty() || (!std::filesystem::exists(options.database, error) && !error)) {
        options.database.clear();
    } else {
        open_database(options);
    }
    return options;
}

int run(const ExplainArguments& arguments) {
    if (!arguments.file.empty()) {
        arguments.refuse_options_of_families();
        const Kernel kernel = kernel_from_file(arguments.file, arguments.compile_options);
        const KernelTemplate& source = kernel.kernel_template;
        const Problem problem = kernel_problem(source, parse_kernel_sizes(source, arguments.sizes),
                                               parse_kernel_types(arguments.types));
        Session session(explained_options(arguments));
        Engine& engine = SessionAccess::engine(session);
        show(arguments, engine,
             {device_for(engine, source, arguments.device,
                         "jitune db list has the winners of all devices"),
              kernel, problem});
        return kExitOk;
    }
    const SweepProblem named = arguments.problem_of_family();
    Session session(explained_options(arguments));
    Engine& engine = SessionAccess::engine(session);
    Device& device = chosen_place(engine, arguments.device);
    show(arguments, engine, {device, named.kernel(device), named.problem});
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<ExplainArguments>();
    return {arguments->command_options(), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_explain_command
