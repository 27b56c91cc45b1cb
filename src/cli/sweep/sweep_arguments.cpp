// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_arguments.hpp"

#include "backend/platform_kind.hpp"
#include "cli/app/device_argument.hpp"
#include "cli/families/sizes.hpp"
#include "cli/sweep/sweep_target.hpp"
#include "cli/tune/recorded_file.hpp"
#include "cli/tune/time_left.hpp"
#include "tuning/isolation/worker_command.hpp"

namespace jitune::internal {

Options sweep_options(const SweepArguments& arguments) {
    refuse_auto(arguments.device);
    Options options = arguments.options();
    options.strategy = arguments.strategy;
    options.seed = parse_seed(arguments.seed);
    // Placements run no code but jitune's own, so that nothing is gained by isolating them.
    if (runs_placements(arguments.device)) {
        options.worker = kNoWorker;
    }
    return options;
}

SweepSearch sweep_search(const SweepArguments& arguments) {
    SweepSearch search;
    search.target = parse_target(arguments.target);
    search.evaluations = arguments.evaluations;
    search.again = arguments.again;
    search.until = deadline_after("--within", arguments.within);
    if (!arguments.from.empty()) {
        search.hints = Hints("--from " + arguments.from, read_recorded(arguments.from));
    }
    return search;
}

}  // namespace jitune::internal
