#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/entropy_words.hpp"
#include "cli/exit_code.hpp"
#include "cli/kernel_words.hpp"
#include "cli/output.hpp"
#include "cli/record_text.hpp"
#include "cli/reduce_shape.hpp"
#include "cli/reduce_words.hpp"
#include "cli/table.hpp"
#include "cli/units.hpp"
#include "engine/explanation.hpp"
#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "ops/entropy_call.hpp"
#include "ops/entropy_kernel.hpp"
#include "ops/kernel_file.hpp"
#include "ops/machine.hpp"

namespace jitune {

namespace {

struct Arguments : CommonArguments {
    std::string file;
    std::vector<std::string> types;
    std::string op = "sum";
    std::string result;
    std::string determinism = "run_to_run";
    std::string shape = "all";
    std::vector<std::string> sizes;
    std::string device = "auto";
    std::string kernel = "reduce";
    std::string window = "5";
    std::string levels = "16";
};

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

/// What was tried for a key and worked, fastest first.
std::vector<std::pair<double, Measurement>> candidates(TuningStore& store, const RecordKey& key) {
    std::vector<std::pair<double, Measurement>> result;
    for (Measurement& one : store.measurements(key)) {
        if (one.verdict == Verdict::timed) {
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

detail::EntropyRequest entropy_request_of(const Arguments& arguments) {
    if (arguments.sizes.size() > 1 || arguments.types.size() > 1) {
        throw Error(ErrorKind::usage, "an entropy has one --size and one --type");
    }
    const ElementType element =
        parse_element_type(arguments.types.empty() ? "float32" : arguments.types.front());
    refuse_other_elements(element);
    const detail::ReduceShape shape = parse_shape(ReduceKind::rows, arguments.sizes.front());
    const detail::EntropyRequest request{element, shape.outer, shape.inner,
                                         parse_entropy(arguments.window, arguments.levels)};
    refuse_bad_entropy(request);
    return request;
}

detail::ReduceRequest request_of(const Arguments& arguments) {
    if (arguments.sizes.size() > 1 || arguments.types.size() > 1) {
        throw Error(ErrorKind::usage, "a reduction has one --size and one --type");
    }
    const ElementType element =
        parse_element_type(arguments.types.empty() ? "float32" : arguments.types.front());
    const ReduceOp op = parse_named_op(arguments.op);
    return {element, parse_result(element, op, arguments.result),
            Reduction(op, parse_unpinned(arguments.determinism)),
            parse_shape(parse_reduce_kind(arguments.shape), arguments.sizes.front())};
}

void show(const Arguments& arguments, Engine& engine, Backend& backend, const Kernel& kernel,
          const Problem& problem) {
    const Explanation explanation = explain(engine, backend, kernel, problem);
    const bool placed = backend.info().id == "machine";
    if (arguments.json) {
        Json json = explanation_json(
            explanation, sizes_text(problem, kernel.kernel_template.front_matter().sizes));
        if (placed) {
            json["candidates"] = candidates_json(*engine.store(), explanation.key);
        }
        print_json(json);
    } else {
        print(explanation_text(explanation));
        print(placed ? candidates_text(*engine.store(), explanation.key) : "");
    }
}

int run(const Arguments& arguments) {
    const Options options = arguments.options();
    if (!arguments.file.empty()) {
        const Kernel kernel = kernel_from_file(arguments.file);
        const KernelTemplate& source = kernel.kernel_template;
        const Problem problem = kernel_problem(source, parse_kernel_sizes(source, arguments.sizes),
                                               parse_kernel_types(arguments.types));
        open_database(options);  // an engine would make a database that is not there
        Session session(options);
        Engine& engine = session.engine();
        show(arguments, engine, backend_for(engine, source, arguments.device), kernel, problem);
        return kExitOk;
    }
    if (arguments.kernel == "entropy") {
        const detail::EntropyRequest request = entropy_request_of(arguments);
        open_database(options);  // likewise
        Session session(options);
        Engine& engine = session.engine();
        Backend& backend = device_of(engine, arguments.device);
        show(arguments, engine, backend, entropy_kernel_on(backend), entropy_problem(request));
        return kExitOk;
    }
    if (arguments.kernel != "reduce") {
        throw Error(ErrorKind::usage, fmt::format("--kernel: \"{}\" is none: use reduce or entropy",
                                                  arguments.kernel));
    }
    const detail::ReduceRequest request = request_of(arguments);
    open_database(options);  // likewise
    Session session(options);
    Engine& engine = session.engine();
    Backend& backend = engine.backend(arguments.device);
    show(arguments, engine, backend, reduce_kernel(request.shape.kind, platform_of(backend)),
         reduce_problem(request));
    return kExitOk;
}

}  // namespace

Action add_db_explain(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    app.add_option("FILE", arguments->file, "A kernel template of your own [the reductions]");
    app.add_option("--type", arguments->types,
                   "Element type [float32]; of a FILE NAME=TYPE, as in element=float32")
        ->allow_extra_args(false);
    app.add_option("--op", arguments->op, fmt::format("Of {} [sum]", named_ops()));
    app.add_option("--result", arguments->result, "Type of the result [the operation's own]");
    app.add_option("--determinism", arguments->determinism, "run_to_run or any [run_to_run]");
    app.add_option("--shape", arguments->shape, "all, rows, columns or segments [all]");
    app.add_option("-n,--size", arguments->sizes,
                   "Number of elements, as in 2^20; for other shapes as in 1024x65536, rows x "
                   "columns or segments x elements; of a FILE NAME=SIZE for each size")
        ->allow_extra_args(false)
        ->required();
    app.add_option("--kernel", arguments->kernel,
                   "reduce or entropy, whose --size is rows x columns [reduce]");
    app.add_option("--window", arguments->window, "Of an entropy: odd, 3 to 15 [5]");
    app.add_option("--levels", arguments->levels, "Of an entropy: 2 to 256 [16]");
    app.add_option("--device", arguments->device,
                   "auto, host, cuda or cuda:N; of an entropy also machine, where host memory is "
                   "worked on [auto]");
    app.add_option("--tune", arguments->tune,
                   "Without a stored winner: now, nearest or default [JITUNE_TUNE, else now]");
    arguments->add_database(app);
    arguments->add_log(app);
    arguments->add_json(app);
    return [arguments] { return run(*arguments); };
}

}  // namespace jitune
