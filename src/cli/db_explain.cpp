// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/entropy_words.hpp"
#include "cli/exit_code.hpp"
#include "cli/file_run.hpp"
#include "cli/kernel_words.hpp"
#include "cli/output.hpp"
#include "cli/record_text.hpp"
#include "cli/reduce_words.hpp"
#include "cli/stencil_words.hpp"
#include "cli/sweep_problems.hpp"
#include "cli/table.hpp"
#include "cli/units.hpp"
#include "dispatch/explanation.hpp"
#include "dispatch/session_access.hpp"
#include "families/own/kernel_file.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "placement/machine.hpp"
#include "tuning/finals.hpp"

namespace jitune::internal::db_explain_command {

namespace {

/// An option that only one kernel has.
struct OwnOption {
    std::string kernel;
    std::string name;
    std::string help;
    std::string* target = nullptr;
    std::optional<std::string> value = {};
};

struct Arguments : CommonArguments {
    Arguments();

    std::string file;
    std::string kernel = "reduce";
    SweepWords reduce;
    StencilWords stencil{.radii = "1"};
    EntropyWords entropy;
    std::vector<std::string> types;
    std::vector<std::string> sizes;
    std::string device = "auto";
    std::vector<OwnOption> own;
};

Arguments::Arguments()
    : own{{"reduce", "--op", fmt::format("Of a reduction: {} [sum]", named_ops()), &reduce.ops},
          {"reduce", "--result", "Type of its result [the operation's own]", &reduce.result},
          {"reduce", "--determinism", "run_to_run or any [run_to_run]", &reduce.determinism},
          {"reduce", "--shape", "all, rows, columns or segments [all]", &reduce.shape},
          {"stencil", "--radius", "Of a stencil: 1 to 32 [1]", &stencil.radii},
          {"stencil", "--weighting", "sum, mean or weights [sum]", &stencil.weightings},
          {"stencil", "--boundary", "valid, zero, clamp or wrap [valid]", &stencil.boundaries},
          {"entropy", "--window", "Of an entropy: odd, 3 to 15 [5]", &entropy.windows},
          {"entropy", "--levels", "2 to 256 [16]", &entropy.levels}} {}

/// `sizes`: the problem's, as sizes_text().
Json explanation_json(const Explanation& explanation, const std::string& sizes) {
    Json rows = Json::array();
    for (const ExplainedRow& row : explanation.rows) {
        Json json{
            {"serves", row.serves}, {"octaves", json_number(row.octaves)}, {"reason", row.reason}};
        json.update(to_json(row.winner));
        rows.push_back(json);
    }
    return {{"key", to_json(explanation.key)},
            {"sizes", sizes},
            {"half_octaves", half_octaves_json(explanation.key.bucket, sizes)},
            {"answer", explanation.answer},
            {"rows", rows}};
}

std::string explanation_text(const Explanation& explanation) {
    std::vector<Table::Cells> rows;
    for (const ExplainedRow& row : explanation.rows) {
        rows.push_back({row.serves ? "yes" : "no", fmt::format("{:.2f}", row.octaves),
                        short_types(row.winner.key.types), row.winner.sizes,
                        row.winner.configuration, row.winner.reproducibility, row.reason});
    }
    std::string text = explanation.answer + '\n';
    if (rows.empty()) {
        return text;
    }
    return text + '\n' +
           Table::text({{"serves"},
                        {"octaves", Align::right},
                        {"types"},
                        {"tuned at"},
                        {"configuration"},
                        {"reproducibility"},
                        {"reason"}},
                       rows);
}

/// What was tried for a key and worked, with its time of the first round, fastest first.
std::vector<std::pair<double, Measurement>> candidates(TuningStore& store, const RecordKey& key) {
    std::vector<std::pair<double, Measurement>> result;
    for (Measurement& one : store.measurements(key)) {
        if (one.verdict == Verdict::timed && !is_of_finals(one)) {
            const double median_ns = summarize(one.samples_ns).median_ns;
            result.emplace_back(median_ns, std::move(one));
        }
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return result;
}

std::string candidates_text(TuningStore& store, const RecordKey& key) {
    constexpr std::size_t kShown = 20;
    std::vector<Table::Cells> rows;
    for (const auto& [median_ns, one] : candidates(store, key)) {
        if (rows.size() < kShown) {
            rows.push_back({time_text(median_ns), one.sizes, one.configuration});
        }
    }
    if (rows.empty()) {
        return "";
    }
    return "\nwhat was tried, end to end from host memory:\n" +
           Table::text({{"time", Align::right}, {"sizes"}, {"configuration"}}, rows);
}

Json candidates_json(TuningStore& store, const RecordKey& key) {
    Json rows = Json::array();
    for (const auto& [median_ns, one] : candidates(store, key)) {
        rows.push_back({{"median_ns", json_number(median_ns)},
                        {"sizes", one.sizes},
                        {"configuration", one.configuration}});
    }
    return rows;
}

/// What would be passed over in silence.
void refuse_options_of_others(const Arguments& arguments) {
    for (const OwnOption& own : arguments.own) {
        if (own.value && (!arguments.file.empty() || own.kernel != arguments.kernel)) {
            throw Error(
                ErrorKind::usage,
                fmt::format("{} goes with --kernel {}, and this is about {}", own.name, own.kernel,
                            arguments.file.empty() ? arguments.kernel : arguments.file));
        }
    }
}

SweepPlan plan_of(Arguments& arguments) {
    for (const OwnOption& own : arguments.own) {
        *own.target = own.value.value_or(*own.target);
    }
    const std::string type = arguments.types.empty() ? "float32" : arguments.types.front();
    const std::string& size = arguments.sizes.front();
    arguments.reduce.types = arguments.stencil.types = arguments.entropy.types = type;
    arguments.reduce.sizes = arguments.stencil.sizes = arguments.entropy.sizes = size;
    if (arguments.kernel == "reduce") {
        refuse_placed_reduction(arguments.device);
        return reduce_plan(arguments.reduce);
    }
    if (arguments.kernel == "stencil") {
        return stencil_plan(arguments.stencil);
    }
    if (arguments.kernel == "entropy") {
        return entropy_plan(arguments.entropy);
    }
    throw Error(ErrorKind::usage,
                fmt::format("--kernel: \"{}\" is not one of reduce, stencil and entropy; a kernel "
                            "of your own is named by its FILE",
                            arguments.kernel));
}

/// The one problem that the arguments name.
SweepProblem problem_of(Arguments& arguments) {
    if (arguments.sizes.size() == 1 && arguments.types.size() <= 1) {
        SweepPlan plan = plan_of(arguments);
        if (plan.problems.size() == 1) {
            return std::move(plan.problems.front());
        }
    }
    throw Error(ErrorKind::usage,
                "explain one problem: give one of each, such as --size and --type");
}

void show(const Arguments& arguments, Engine& engine, const Task& task) {
    const Explanation explanation = explain(engine, task);
    const bool placed = task.info().platform == PlatformKind::machine;
    if (arguments.json) {
        Json json = explanation_json(explanation, task.sizes());
        if (placed) {
            json["candidates"] = candidates_json(*engine.store(), explanation.key);
        }
        print_json(json);
    } else {
        print(explanation_text(explanation));
        print(placed ? candidates_text(*engine.store(), explanation.key) : "");
    }
}

int run(Arguments& arguments) {
    refuse_options_of_others(arguments);
    const Options options = arguments.options();
    if (!arguments.file.empty()) {
        const Kernel kernel = kernel_from_file(arguments.file);
        const KernelTemplate& source = kernel.kernel_template;
        const Problem problem = kernel_problem(source, parse_kernel_sizes(source, arguments.sizes),
                                               parse_kernel_types(arguments.types));
        open_database(options);  // an engine would make a database that is not there
        Session session(options);
        Engine& engine = SessionAccess::engine(session);
        show(arguments, engine, {device_for(engine, source, arguments.device), kernel, problem});
        return kExitOk;
    }
    const SweepProblem named = problem_of(arguments);
    open_database(options);  // likewise
    Session session(options);
    Engine& engine = SessionAccess::engine(session);
    Device& device = device_of(engine, arguments.device);
    show(arguments, engine, {device, named.kernel(device), named.problem});
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    std::vector<Option> options{
        {"FILE", &given.file, "A kernel template of your own"},
        {"--kernel",
         &given.kernel,
         "Or reduce, stencil or entropy [reduce]",
         {.excludes = {"FILE"}}},
        {"-n,--size",
         &given.sizes,
         "Number of elements, as in 2^20; of rows, columns, segments and entropies as in "
         "1024x65536, rows x columns or segments x elements; of a FILE NAME=SIZE for each size",
         {.required = true}},
        {"--type", &given.types,
         "Element type [float32]; of a FILE NAME=TYPE, as in element=float32"}};
    for (OwnOption& own : given.own) {
        options.push_back({own.name, &own.value, own.help});
    }
    append(options, {{"--device", &given.device, std::string(kPlacedDevices) + " [auto]"},
                     given.tune_option(),
                     given.database_option(),
                     given.log_option(),
                     given.json_option()});
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_explain_command
