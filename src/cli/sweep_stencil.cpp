// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/command.hpp"
#include "cli/stencil_words.hpp"
#include "cli/sweep_command.hpp"

namespace jitune::internal {

namespace {

struct Arguments : SweepArguments {
    StencilWords problems;
};

}  // namespace

Action add_sweep_stencil(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    StencilWords& words = arguments->problems;
    app.add_option("--types", words.types,
                   "Of int32, float32, float64, by comma, or all [float32]");
    app.add_option("--radius", words.radii, "Of 1 to 32, by comma [1,8,25]");
    app.add_option("--weighting", words.weightings, "Of sum, mean, weights, by comma [sum]");
    app.add_option("--boundary", words.boundaries, "Of valid, zero, clamp, wrap, by comma [valid]");
    app.add_option("--sizes", words.sizes,
                   "As in 1000,2^20+7 or 2^10..2^28, which doubles [2^20,2^24,2^27]");
    arguments->add(app);
    return [arguments] { return run_sweep(*arguments, stencil_plan(arguments->problems)); };
}

}  // namespace jitune::internal
