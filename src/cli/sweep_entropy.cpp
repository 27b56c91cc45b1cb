// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/command.hpp"
#include "cli/entropy_words.hpp"
#include "cli/sweep_command.hpp"

namespace jitune::internal::sweep_entropy_command {

namespace {

struct Arguments : SweepArguments {
    EntropyWords problems;
};

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    EntropyWords& words = arguments->problems;
    std::vector<Option> options{
        {"--types", &words.types, "Of uint8, int32, float32, by comma, or all [float32]"},
        {"--window", &words.windows, "Odd, of 3 to 15, by comma [5]"},
        {"--levels", &words.levels, "Of 2 to 256, by comma [16]"},
        {"--sizes", &words.sizes,
         "Rows x columns, as in 400x640,2^12x2^10 [400x400,2560x2560,10240x10240]"}};
    append(options, arguments->options_of_all_sweeps());
    return {std::move(options),
            [arguments] { return run_sweep(*arguments, entropy_plan(arguments->problems)); }};
}

}  // namespace jitune::internal::sweep_entropy_command
