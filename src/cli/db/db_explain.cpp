// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>

#include <fmt/ranges.h>

#include "cli/app/common_options.hpp"

#include "cli/db/record_json.hpp"
#include "cli/families/kernel_arguments.hpp"
#include "cli/families/parameter_words.hpp"
#include "cli/formats/table.hpp"
#include "cli/sweep/sweep_family.hpp"
#include "dispatch/answer/explanation.hpp"
#include "dispatch/session_access.hpp"
#include "families/own/kernel_file.hpp"
#include "measure/statistics.hpp"
#include "text/units.hpp"
#include "tuner_db/winners/winner_table.hpp"
#include "tuning/finals/finals.hpp"

namespace jitune::internal::db_explain_command {

namespace {

/// The arguments of `jitune db explain`: a problem of a kernel in a file, or of a family.
class ExplainArguments : public CommonArguments {
public:
    ExplainArguments();
    // The options refer to it.
    ExplainArguments(const ExplainArguments&) = delete;
    ExplainArguments& operator=(const ExplainArguments&) = delete;

    std::vector<Option> command_options();

    /// The one problem of a family that the arguments name. Throws Error(usage), also for an option
    /// of another family or of a file.
    [[nodiscard]] SweepProblem problem_of_family() const;
    /// Throws Error(usage) for an option of a family, none of which goes with a file.
    void refuse_options_of_families() const;

    std::string file;  ///< empty: of a family
    std::vector<std::string> types;
    std::vector<std::string> sizes;
    std::vector<std::string> compile_options;  ///< of a file
    std::string device;

private:
    /// An option that only one family has, with its argument if it was given.
    struct OwnOption {
        const SweepFamily* family;
        const FamilyArgument* argument;
        std::optional<std::string> value = {};
    };

    void refuse_options_of_others(const SweepFamily* family, const std::string& named) const;

    std::string kernel_ = "reduce";
    std::vector<OwnOption> own_;
};

ExplainArguments::ExplainArguments() {
    for (const SweepFamily& family : sweep_families()) {
        for (const FamilyArgument& argument : family.arguments) {
            if (argument.in_explain) {
                own_.push_back({&family, &argument});
            }
        }
    }
}

std::vector<Option> ExplainArguments::command_options() {
    std::vector<std::string> names;
    for (const SweepFamily& family : sweep_families()) {
        names.push_back(family.name);
    }
    std::vector<Option> options{
        {"FILE", &file, "A kernel template of your own"},
        {"--kernel",
         &kernel_,
         fmt::format("A built-in kernel: {} [{}]", fmt::join(names, ", "), kernel_),
         {.excludes = {"FILE"}}},
        {"-n,--size",
         &sizes,
         "Number of elements, as in 2^20; of rows, columns, segments and entropies as in "
         "1024x65536, rows x columns or segments x elements; of a FILE NAME=SIZE for each size",
         {.required = true}},
        {"--type", &types, "Element type [float32]; of a FILE NAME=TYPE, as in element=float32"},
        {"--option", &compile_options,
         "Of a FILE: an option for the compiler that it was tuned with, as --use_fast_math"}};
    for (OwnOption& own : own_) {
        const FamilyOption& option = *own.argument->in_explain;
        options.push_back({option.name, &own.value, option.help, {.choices = option.choices}});
    }
    append(options,
           {device_option(&device, std::string(kPlacedDevices) + " [the first GPU, else the host]"),
            tune_option(TunePolicy::background), database_option(), log_option(), verbose_option(),
            json_option()});
    return options;
}

/// An option of another family would have no effect.
void ExplainArguments::refuse_options_of_others(const SweepFamily* family,
                                                const std::string& named) const {
    for (const OwnOption& own : own_) {
        if (own.value && own.family != family) {
            throw Error(ErrorKind::usage,
                        fmt::format("{} goes with --kernel {}, but this is about {}",
                                    own.argument->in_explain->name, own.family->name, named));
        }
    }
}

void ExplainArguments::refuse_options_of_families() const {
    refuse_options_of_others(nullptr, file);
}

SweepProblem ExplainArguments::problem_of_family() const {
    const SweepFamily& family = sweep_family(kernel_);
    refuse_options_of_others(&family, kernel_);
    if (!compile_options.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("--option goes with a FILE, but this is about {}", kernel_));
    }
    refuse_unplaced(family, device);
    if (sizes.size() == 1 && sizes.front().find("..") != std::string::npos) {
        throw Error(ErrorKind::usage,
                    fmt::format("--size \"{}\": db explain takes one size, as in 2^20 or "
                                "1024x65536, not a range",
                                sizes.front()));
    }
    if (sizes.size() == 1 && types.size() <= 1) {
        FamilyArguments given{{"--types", types.empty() ? "float32" : types.front()},
                              {"--sizes", sizes.front()}};
        for (const OwnOption& own : own_) {
            if (own.family == &family) {
                given[own.argument->in_sweep.name] =
                    own.value.value_or(own.argument->in_explain->standard);
            }
        }
        SweepPlan plan = family.plan(given);
        if (plan.problems.size() == 1) {
            return std::move(plan.problems.front().problem);
        }
    }
    throw Error(ErrorKind::usage,
                "db explain takes one problem: give one of each, such as --size and --type");
}

Json row_json(const ExplainedRow& row) {
    Json json{{"serves", row.serves},
              {"octaves", json_number(row.octaves)},
              {"reason", row.reason},
              {"calls", row.calls},
              {"last_served", row.calls == 0 ? Json() : Json(row.last_at)}};
    json.update(winner_json(row.winner));
    return json;
}

Json cost_json(const ExplainedCost& cost) {
    return {{"configuration", cost.configuration},
            {"ns", json_number(cost.ns)},
            {"measured", cost.octaves == 0},
            {"octaves", json_number(cost.octaves)},
            {"default", cost.is_default}};
}

/// `sizes` are those of the problem, as sizes_text().
Json explanation_json(const Explanation& explanation, const std::string& sizes) {
    return {{"key", to_json(explanation.key)},
            {"sizes", sizes},
            {"half_octaves", half_octaves_json(explanation.key.bucket, sizes)},
            {"answer", explanation.answer},
            {"configuration", explanation.configuration},
            {"rows", json_list(explanation.rows, row_json)},
            {"costs", json_list(explanation.costs, cost_json)}};
}

/// "measured" or "estimated from sizes 0.31 octaves away"
std::string source_text(const ExplainedCost& cost) {
    return cost.octaves == 0 ? "measured"
                             : fmt::format("estimated from sizes {:.2f} octave{} away",
                                           cost.octaves, cost.octaves == 1 ? "" : "s");
}

View costs_view(const std::vector<ExplainedCost>& costs) {
    View view{"Times",
              {number_column("time"), number_column("over best"), text_column(""),
               text_column("configuration"), detail("source")}};
    view.add(costs, kAllRows, [&](const ExplainedCost& cost) -> View::Row {
        return {time_cell(cost.ns), fmt::format("{:.3f}", cost.ns / costs.front().ns),
                cost.is_default ? "default" : "", cost.configuration, source_text(cost)};
    });
    return view;
}

View settings_view(const std::vector<ExplainedSetting>& settings) {
    View view{"Parameters",
              {named("name", text_column("parameter")), named("value", text_column("value")),
               named("meaning", text_column("meaning"))}};
    view.add(settings, kAllRows, [](const ExplainedSetting& setting) -> View::Row {
        return {setting.name, setting.value, setting.meaning};
    });
    return view;
}

/// The rows of the problem's own types.
View rows_view(const std::vector<const ExplainedRow*>& rows, std::size_t most) {
    View view{"Winners",
              {text_column("serves"), number_column("octaves"), text_column("range"),
               text_column("configuration"), detail("reproducibility"), detail("reason")}};
    view.add(rows, most, [](const ExplainedRow* row) -> View::Row {
        return {row->serves ? "yes" : "no",     fmt::format("{:.2f}", row->octaves),
                short_served_text(row->winner), server_text(row->winner),
                row->winner.reproducibility,    row->reason};
    });
    return view;
}

/// The table of a view behind an empty line; "" of one without rows.
std::string apart(const std::string& title, const View& view, std::size_t width) {
    return view.rows.empty() ? "" : '\n' + title + Table::text(view, width);
}

/// The whole reason if the row is the answer, else cut to the table.
std::string explanation_text(const Explanation& explanation, const View& settings,
                             std::size_t width) {
    constexpr std::size_t kShown = 8;
    std::vector<const ExplainedRow*> rows;
    for (const ExplainedRow& row : explanation.rows) {
        if (row.winner.key.types == explanation.key.types) {
            rows.push_back(&row);
        }
    }
    std::string text = one_line(explanation.answer) + '\n';
    if (explanation.answer.find(explanation.configuration) == std::string::npos) {
        text += fmt::format("configuration: {}\n", explanation.configuration);
    }
    auto told = std::find_if(rows.begin(), rows.end(), [](const ExplainedRow* row) {
        return row->serves || row->is_withheld || row->is_nearest;
    });
    told = told == rows.end() ? rows.begin() : told;
    if (told != rows.end() && !(*told)->reason.empty()) {
        text += fmt::format("{}: {}\n", (*told)->is_nearest ? "the nearest winner" : "why",
                            one_line((*told)->reason));
    }
    const View shown = rows_view(rows, width == kWhole ? kAllRows : kShown);
    text += apart("", settings, width) + apart("", shown, width);
    if (shown.more > 0) {
        text += fmt::format("and {} further away: --verbose lists them\n",
                            count_text(static_cast<std::int64_t>(shown.more), "winner"));
    }
    const std::int64_t others = std::ssize(explanation.rows) - std::ssize(rows);
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

View candidates_view(TuningStore& store, const RecordKey& key, std::size_t most) {
    View view{"Candidates",
              {named("median_ns", number_column("time")), named("sizes", text_column("sizes")),
               named("configuration", text_column("configuration"))}};
    view.add(candidates(store, key), most, [](const auto& one) -> View::Row {
        const auto& [median_ns, measurement] = one;
        return {time_cell(median_ns), measurement.sizes, measurement.configuration};
    });
    return view;
}

void show(const ExplainArguments& arguments, Engine& engine, const Task& task) {
    const Explanation explanation = explain(engine, task);
    // A parameter of a kernel in a file may have the name of one of jitune's, and another meaning.
    std::vector<ExplainedSetting> settings;
    if (arguments.file.empty()) {
        settings =
            explain_configuration(task.kernel_template().front_matter(), explanation.configuration);
    }
    const View words = settings_view(settings);
    const bool placed = runs_placements(task.info().platform) && engine.store() != nullptr;
    if (arguments.json) {
        Json json = explanation_json(explanation, task.sizes());
        json["settings"] = rows_json(words);
        if (placed) {
            json["candidates"] =
                rows_json(candidates_view(*engine.store(), explanation.key, kAllRows));
        }
        print_json(json);
        return;
    }
    const std::size_t width = arguments.table_width();
    print(explanation_text(explanation, words, width));
    print(apart("times at " + task.sizes() + ":\n", costs_view(explanation.costs), width));
    if (placed) {
        constexpr std::size_t kShown = 20;
        print(apart("candidates, timed end to end from host memory:\n",
                    candidates_view(*engine.store(), explanation.key, kShown), width));
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
