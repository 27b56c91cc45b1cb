// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_arguments.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "backend/platform_kind.hpp"
#include "cli/families/sizes.hpp"
#include "cli/formats/foreign_results.hpp"
#include "cli/sweep/time_left.hpp"
#include "tuning/isolation/worker_command.hpp"

namespace jitune::internal {

namespace {

struct Unit {
    std::string_view name;
    double ns;
};
constexpr std::array kTimeUnits{Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}};

/// A time such as "12.5us" (in ns, us, ms or s) or a speed-up such as "1.5x"; no target for an
/// empty text. Throws Error(usage).
SweepTarget parse_target(std::string_view word) {
    if (word.empty()) {
        return {};
    }
    double number = 0;
    const char* const last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, number);
    const std::string_view unit(end, static_cast<std::size_t>(last - end));
    if (error == std::errc() && std::isfinite(number) && number > 0) {
        if (unit == "x" && number >= 1) {
            return {0, number};
        }
        for (const Unit& one : kTimeUnits) {
            if (one.name == unit && std::isfinite(number * one.ns)) {
                return {number * one.ns, 0};
            }
        }
    }
    throw Error(
        ErrorKind::usage,
        fmt::format("--target: \"{}\" is not a target: give a time as in 800ns, 12.5us or 3ms, "
                    "or a speed-up over the default of at least 1, as in 1.5x",
                    word));
}

}  // namespace

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
