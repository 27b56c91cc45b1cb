// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fmt/format.h>

#include "articles/step_runner.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/sizes.hpp"
#include "cli/steps_result.hpp"
#include "dispatch/session_access.hpp"
#include "jitune/session.hpp"

namespace jitune::internal::steps_reduce_command {

namespace {

struct Arguments : CommonArguments {
    std::string type = "float32";
    std::string size = "2^25";
    std::string device = "cuda";
    bool tune_steps = false;
};

/// One run under way: step after step, each shown as it finishes.
class Steps {
public:
    Steps(const Arguments& arguments, ElementType type, std::int64_t n)
        : arguments_(arguments),
          session_(arguments.options()),
          device_(SessionAccess::engine(session_).device(arguments.device)),
          runner_(SessionAccess::engine(session_), device_, type, n, interrupt_.requested()),
          table_(arguments.tune_steps, runner_.peak_gb_per_s()) {
        result_.type = type;
        result_.n = n;
        result_.device = device_.info().id;
        result_.device_name = device_.info().name;
        result_.compiler = device_.compiler();
        result_.peak_gb_per_s = runner_.peak_gb_per_s();
    }

    const StepsResult& run() {
        show(fmt::format("the {} sum of {} elements on {} ({}), {}\n", to_string(result_.type),
                         size_text(result_.n), result_.device, result_.device_name,
                         result_.compiler));
        show(table_.header());
        for (const ReductionStep& step : reduction_steps()) {
            if (!interrupt_.requested()) {
                add(&step, runner_.run(step, arguments_.tune_steps));
            }
        }
        if (!interrupt_.requested()) {
            add(nullptr, runner_.run_own());
        }
        result_.interrupted = interrupt_.requested();
        return result_;
    }

private:
    void show(const std::string& text) const {
        if (!arguments_.json) {
            print(text);
        }
    }

    void add(const ReductionStep* step, StepRow row) {
        StepLine line{step, std::move(row), 0, std::nullopt};
        if (line.row.outcome == StepRow::Outcome::timed) {
            line.gb_per_s = runner_.gb_per_s(line.row.standard.median_ns);
        }
        line.speed_up = speed_up(line);
        show(table_.line(line));
        result_.lines.push_back(std::move(line));
    }

    [[nodiscard]] std::optional<double> speed_up(const StepLine& line) const {
        if (line.step == nullptr || line.row.outcome != StepRow::Outcome::timed) {
            return std::nullopt;
        }
        for (const StepLine& first : result_.lines) {
            if (first.step->article == line.step->article) {
                return first.row.outcome == StepRow::Outcome::timed
                           ? std::optional(first.row.standard.median_ns /
                                           line.row.standard.median_ns)
                           : std::nullopt;
            }
        }
        return 1.0;  // it is the first
    }

    const Arguments& arguments_;
    Session session_;
    Device& device_;
    const Interrupt interrupt_;
    StepRunner runner_;
    const StepsTable table_;
    StepsResult result_;
};

int run(const Arguments& arguments) {
    const ElementType type = parse_element_type(arguments.type);
    refuse_other_types(type);
    Steps steps(arguments, type, parse_size(arguments.size));
    const StepsResult& result = steps.run();
    if (arguments.json) {
        print_json(steps_json(result));
    } else if (result.interrupted) {
        print(fmt::format("interrupted: {} of {} steps were run\n", result.lines.size(),
                          reduction_steps().size()));
    }
    return steps_exit_code(result);
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    std::vector<Option> options{
        {"--type", &given.type, "float32 or int32 [float32]"},
        {"--size", &given.size, "Elements, as in 1000 or 2^20+7 [2^25]"},
        {"--device", &given.device, "cuda or cuda:N [cuda]"},
        {"--tune", &given.tune_steps,
         "Also try every configuration of each step, and show the best"},
        given.budget_option("Seconds for tuning jitune's own sum [JITUNE_BUDGET, else 2]"),
        given.database_option(),
        given.log_option(),
        given.json_option()};
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::steps_reduce_command
