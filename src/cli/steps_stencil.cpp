// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "articles/stencil_steps_table.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/sizes.hpp"
#include "cli/stencil_arguments.hpp"
#include "dispatch/session_access.hpp"
#include "jitune/session.hpp"

namespace jitune::internal::steps_stencil_command {

namespace {

struct Arguments : CommonArguments {
    std::string type = "float32";
    std::string size = "2^25";
    std::string radii = "1,2,4,8,12,16,25,32";
    std::string device = "cuda";
};

StencilStepsLine line_of(StencilStepRunner& runner, int radius) {
    StencilStepsLine line;
    line.radius = radius;
    for (const int outputs : kCoarsenings) {
        line.shared.push_back(runner.run(StencilStep::shared, radius, outputs));
        line.register_cache.push_back(runner.run(StencilStep::register_cache, radius, outputs));
    }
    line.own = runner.run_own(radius);
    return line;
}

bool has_failed(const StencilStepsLine& line) {
    const auto failed = [](const StepRow& row) { return row.outcome == StepRow::Outcome::failed; };
    return std::any_of(line.shared.begin(), line.shared.end(), failed) ||
           std::any_of(line.register_cache.begin(), line.register_cache.end(), failed) ||
           failed(line.own);
}

int run(const Arguments& arguments) {
    const ElementType type = parse_element_type(arguments.type);
    const std::int64_t n = parse_size(arguments.size);
    std::vector<int> radii;
    for (const std::string& word : parse_list("--radius", arguments.radii)) {
        radii.push_back(parse_radius(word));
    }
    Session session(arguments.options());
    Device& device = SessionAccess::engine(session).device(arguments.device);
    const Interrupt interrupt;
    StencilStepRunner runner(SessionAccess::engine(session), device, type, n,
                             interrupt.requested());
    const StencilStepsTable table;
    const auto show = [&](const std::string& text) {
        if (!arguments.json) {
            print(text);
        }
    };
    show(fmt::format("the {} mean of neighbours of {} elements on {} ({}), {}\n", to_string(type),
                     size_text(n), device.info().id, device.info().name, device.compiler()));
    show("sh: shared memory, rc: register cache, with so many outputs for each thread\n");
    show(table.header());
    std::vector<StencilStepsLine> lines;
    for (const int radius : radii) {
        if (!interrupt.requested()) {
            lines.push_back(line_of(runner, radius));
            show(table.line(lines.back()));
        }
    }
    if (arguments.json) {
        print_json({{"kernel", "stencil"},
                    {"type", to_string(type)},
                    {"n", n},
                    {"device", device.info().id},
                    {"device_name", device.info().name},
                    {"interrupted", interrupt.requested().load()},
                    {"steps", stencil_steps_json(lines)}});
    }
    if (interrupt.requested()) {
        return kExitInterrupted;
    }
    return std::any_of(lines.begin(), lines.end(), has_failed) ? kExitFailed : kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    std::vector<Option> options{
        {"--type", &given.type, "float32 or int32 [float32]"},
        {"--size", &given.size, "Elements, as in 1000 or 2^20+7 [2^25]"},
        {"--radius", &given.radii, "Of 1 to 32, by comma [1,2,4,8,12,16,25,32]"},
        {"--device", &given.device, "cuda or cuda:N [cuda]"},
        given.budget_option(
            "Seconds for tuning jitune's own stencil, each radius [JITUNE_BUDGET, else 2]"),
        given.database_option(),
        given.log_option(),
        given.json_option()};
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::steps_stencil_command
