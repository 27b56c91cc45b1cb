// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/arguments.hpp"

#include <CLI/CLI.hpp>

#include "jitune/error.hpp"

namespace jitune::bench {

namespace {

constexpr double kDefaultBudgetS = 1.0;

struct Texts {
    std::vector<std::string> types;
    std::vector<std::string> ops;
    std::string sizes;
    int step = 1;
    double budget_s = kDefaultBudgetS;
};

ReduceOp op_of(const std::string& name) {
    return name == op_name(ReduceOp::custom) ? ReduceOp::custom : parse_reduce_op(name);
}

void add_options(CLI::App& app, Texts& texts, Arguments& arguments) {
    app.add_option("--types", texts.types, "element types, by comma")->delimiter(',');
    app.add_option("--ops", texts.ops, "operations, by comma; log_sum_exp is a custom one")
        ->delimiter(',');
    app.add_option("--sizes", texts.sizes, "sizes of flat problems: 2^10..2^30,2^20+7");
    app.add_option("--step", texts.step, "exponents from one size of a range to the next")
        ->check(CLI::Range(1, 31));
    app.add_option("--shapes", arguments.request.shapes, "all, flat, rows, columns or segments")
        ->check(CLI::IsMember({"all", "flat", "rows", "columns", "segments"}));
    app.add_flag("--quick", arguments.request.quick, "fewer sizes");
    app.add_option("--db", arguments.options.database, "jitune's tuning database");
    app.add_option("--budget", texts.budget_s, "seconds to tune a problem without a winner")
        ->check(CLI::PositiveNumber);
    app.add_option("--samples", arguments.samples, "timed samples of each side")
        ->check(CLI::Range(6, 10000));
    app.add_option("--deadline", arguments.deadline_s, "begin no cell after so many seconds");
    app.add_option("--csv", arguments.csv, "also write the results to this file");
    app.add_flag("--json", arguments.json, "print JSON in place of the table");
}

void apply(const Texts& texts, Arguments& arguments) {
    for (const std::string& name : texts.types) {
        arguments.request.types.push_back(parse_element_type(name));
    }
    for (const std::string& name : texts.ops) {
        arguments.request.ops.push_back(op_of(name));
    }
    arguments.request.sizes = parse_sizes(texts.sizes, texts.step);
    arguments.options.budget =
        std::chrono::milliseconds(static_cast<std::int64_t>(texts.budget_s * 1e3));
}

}  // namespace

std::optional<Arguments> parse_arguments(int argc, char** argv, int& exit_code) {
    CLI::App app("jitune beside CUB on this machine's first GPU");
    Texts texts;
    Arguments arguments;
    arguments.options = Options::from_environment();
    if (arguments.options.worker.empty()) {
        arguments.options.worker = "none";
    }
    add_options(app, texts, arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        exit_code = app.exit(error);
        return std::nullopt;
    }
    apply(texts, arguments);
    return arguments;
}

}  // namespace jitune::bench
