// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/reduce_words.hpp"
#include "cli/sweep_command.hpp"
#include "cli/sweep_problems.hpp"

namespace jitune::internal::sweep_reduce_command {

namespace {

struct Arguments : SweepArguments {
    SweepWords problems;
};

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    SweepWords& words = arguments->problems;
    std::vector<Option> options{
        {"--types", &words.types, "Element types by comma, or all [float32]"},
        {"--ops", &words.ops, fmt::format("Of {}, by comma, or all [sum]", named_ops())},
        {"--result", &words.result, "Type of the result [the operation's own]"},
        {"--determinism", &words.determinism, "run_to_run or any [run_to_run]"},
        {"--shape", &words.shape, "all, rows, columns or segments [all]"},
        {"--sizes", &words.sizes,
         "As in 1000,2^20+7 or 2^10..2^28, which doubles; for other shapes as in "
         "1024x65536,2^20x2^6, rows x columns or segments x elements "
         "[2^10..2^28, or matrices of 2^26]"}};
    append(options, arguments->options_of_all_sweeps());
    return {std::move(options), [arguments] {
                refuse_placed_reduction(arguments->device);
                return run_sweep(*arguments, reduce_plan(arguments->problems));
            }};
}

}  // namespace jitune::internal::sweep_reduce_command
