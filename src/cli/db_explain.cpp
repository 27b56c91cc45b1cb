#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/record_text.hpp"
#include "cli/sizes.hpp"
#include "cli/table.hpp"
#include "engine/explanation.hpp"
#include "ops/reduce_kernel.hpp"

namespace jitune {

namespace {

struct Arguments : CommonArguments {
    std::string type = "float32";
    std::string op = "sum";
    std::string n;
    std::string device = "auto";
};

Json explanation_json(const Explanation& explanation) {
    Json rows = Json::array();
    for (const ExplainedRow& row : explanation.rows) {
        Json json{
            {"serves", row.serves}, {"octaves", json_number(row.octaves)}, {"reason", row.reason}};
        json.update(to_json(row.winner));
        rows.push_back(json);
    }
    return {{"key", to_json(explanation.key)}, {"answer", explanation.answer}, {"rows", rows}};
}

std::string explanation_text(const Explanation& explanation) {
    std::vector<Table::Cells> rows;
    for (const ExplainedRow& row : explanation.rows) {
        rows.push_back({row.serves ? "yes" : "no", fmt::format("{:.2f}", row.octaves),
                        short_types(row.winner.key.types), row.winner.sizes,
                        row.winner.configuration, row.reason});
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
                        {"reason"}},
                       rows);
}

int run(const Arguments& arguments) {
    const Problem problem = reduce_problem(parse_element_type(arguments.type),
                                           parse_reduce_op(arguments.op), parse_size(arguments.n));
    const Options options = arguments.options();
    open_database(options);  // an engine would make a database that is not there
    Session session(options);
    Backend& backend = session.engine().backend(arguments.device);
    const Kernel& kernel = reduce_kernel(backend.info().id == "host" ? "host" : "cuda");
    const Explanation explanation = explain(session.engine(), backend, kernel, problem);
    if (arguments.json) {
        print_json(explanation_json(explanation));
    } else {
        print(explanation_text(explanation));
    }
    return kExitOk;
}

}  // namespace

Action add_db_explain(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    app.add_option("--type", arguments->type, "int32, int64, float32 or float64 [float32]");
    app.add_option("--op", arguments->op, "sum, min or max [sum]");
    app.add_option("-n", arguments->n, "Number of elements, as in 2^20")->required();
    app.add_option("--device", arguments->device, "auto, host, cuda or cuda:N [auto]");
    app.add_option("--tune", arguments->tune,
                   "Without a stored winner: now, nearest or default [JITUNE_TUNE, else now]");
    arguments->add_database(app);
    arguments->add_log(app);
    arguments->add_json(app);
    return [arguments] { return run(*arguments); };
}

}  // namespace jitune
