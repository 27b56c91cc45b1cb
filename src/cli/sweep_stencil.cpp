// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/command.hpp"
#include "cli/stencil_words.hpp"
#include "cli/sweep_command.hpp"

namespace jitune::internal::sweep_stencil_command {

namespace {

struct Arguments : SweepArguments {
    StencilWords problems;
};

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    StencilWords& words = arguments->problems;
    std::vector<Option> options{
        {"--types", &words.types, "Of int32, float32, float64, by comma, or all [float32]"},
        {"--radius", &words.radii, "Of 1 to 32, by comma [1,8,25]"},
        {"--weighting", &words.weightings, "Of sum, mean, weights, by comma [sum]"},
        {"--boundary", &words.boundaries, "Of valid, zero, clamp, wrap, by comma [valid]"},
        {"--sizes", &words.sizes,
         "As in 1000,2^20+7 or 2^10..2^28, which doubles [2^20,2^24,2^27]"}};
    append(options, arguments->options_of_all_sweeps());
    return {std::move(options),
            [arguments] { return run_sweep(*arguments, stencil_plan(arguments->problems)); }};
}

}  // namespace jitune::internal::sweep_stencil_command
