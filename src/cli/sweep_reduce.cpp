// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/reduce_words.hpp"
#include "cli/sweep_command.hpp"
#include "cli/sweep_problems.hpp"

namespace jitune::internal {

namespace {

struct Arguments : SweepArguments {
    SweepWords problems;
};

void add_problems(CLI::App& app, SweepWords& words) {
    app.add_option("--types", words.types, "Element types by comma, or all [float32]");
    app.add_option("--ops", words.ops, fmt::format("Of {}, by comma, or all [sum]", named_ops()));
    app.add_option("--result", words.result, "Type of the result [the operation's own]");
    app.add_option("--determinism", words.determinism, "run_to_run or any [run_to_run]");
    app.add_option("--shape", words.shape, "all, rows, columns or segments [all]");
    app.add_option("--sizes", words.sizes,
                   "As in 1000,2^20+7 or 2^10..2^28, which doubles; for other shapes as in "
                   "1024x65536,2^20x2^6, rows x columns or segments x elements "
                   "[2^10..2^28, or matrices of 2^26]");
}

}  // namespace

Action add_sweep_reduce(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    add_problems(app, arguments->problems);
    arguments->add(app);
    return [arguments] {
        refuse_placed_reduction(arguments->device);
        return run_sweep(*arguments, reduce_plan(arguments->problems));
    };
}

}  // namespace jitune::internal
