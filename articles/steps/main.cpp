// SPDX-License-Identifier: Apache-2.0
// The program jitune_steps: its commands `reduce`, `stencil` and `entropy`.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "articles/step_runner.hpp"
#include "articles/steps/steps_report.hpp"
#include "cli/app/command.hpp"
#include "cli/app/command_line.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/interrupt.hpp"
#include "cli/app/output.hpp"
#include "cli/families/sizes.hpp"
#include "dispatch/session_access.hpp"
#include "jitune/error.hpp"
#include "jitune/session.hpp"
#include "jitune/version.hpp"
#include "spread/machine.hpp"
#include "text/units.hpp"
#include "tuning/measure/roofline.hpp"

namespace jitune::internal {

namespace {

/// The measurements of one command and the way it shows them.
struct StepsPlan {
    const StepSet& set;
    StepsView view;
    std::vector<Device*> devices;  ///< each runs the steps of its platform
    std::vector<StepInput> inputs;
    bool tune = false;  ///< try every configuration of the steps, too
    std::string title;  ///< lines before the text table
    Json head;          ///< keys of the JSON document before "interrupted" and "steps"
};

/// One run of a command: measures line after line and shows each when it is complete.
class StepsRun {
public:
    /// `json`: prints one document at the end instead of text.
    StepsRun(Engine& engine, StepsPlan plan, bool json);

    /// Returns the exit code. Throws as StepRunner::run().
    int run();

private:
    void run_line(Device& device, std::span<const Step* const> steps,
                  std::span<const StepInput> inputs);
    void add(Device& device, const Step& step, const StepInput& input);
    void show(const std::string& text) const;
    void show_end() const;
    [[nodiscard]] std::size_t planned() const;

    const StepsPlan plan_;
    const bool json_;
    const Interrupt interrupt_;
    StepRunner runner_;
    const StepsTable table_;
    std::vector<StepRun> runs_;  ///< of complete lines
};

std::vector<const Step*> steps_on(const StepSet& set, const Device& device) {
    std::vector<const Step*> steps;
    for (const Step& step : set.steps) {
        if (step.platform == device.info().platform) {
            steps.push_back(&step);
        }
    }
    return steps;
}

bool have_one_input(const StepRun& a, const StepRun& b) {
    return a.device == b.device && a.input.size == b.input.size && a.input.radius == b.input.radius;
}

StepsRun::StepsRun(Engine& engine, StepsPlan plan, bool json)
    : plan_(std::move(plan)),
      json_(json),
      runner_(engine, plan_.set, interrupt_.requested()),
      table_(plan_.view) {}

int StepsRun::run() {
    show(plan_.title);
    show(table_.header());
    for (Device* device : plan_.devices) {
        const std::vector<const Step*> steps = steps_on(plan_.set, *device);
        if (plan_.view.line_for_each_input) {
            for (const StepInput& input : plan_.inputs) {
                run_line(*device, steps, {&input, 1});
            }
        } else {
            for (const Step* const& step : steps) {
                run_line(*device, {&step, 1}, plan_.inputs);
            }
        }
    }
    show_end();
    return steps_exit_code(plan_.view, runs_, interrupt_.requested());
}

/// Drops a line in which the user interrupts the run.
void StepsRun::run_line(Device& device, std::span<const Step* const> steps,
                        std::span<const StepInput> inputs) {
    const std::size_t begin = runs_.size();
    for (const Step* step : steps) {
        for (const StepInput& input : inputs) {
            if (interrupt_.requested()) {
                runs_.resize(begin);
                return;
            }
            add(device, *step, input);
        }
    }
    show(table_.line(std::span(runs_).subspan(begin)));
}

void StepsRun::add(Device& device, const Step& step, const StepInput& input) {
    StepRun run{&step, &device.info(), input, runner_.run(device, step, input, plan_.tune), {}};
    if (!step.is_own()) {
        const auto first = std::find_if(runs_.begin(), runs_.end(), [&](const StepRun& earlier) {
            return earlier.step->article == step.article && have_one_input(earlier, run);
        });
        run.speed_up = speed_up(first == runs_.end() ? run : *first, run);
    }
    runs_.push_back(std::move(run));
}

void StepsRun::show(const std::string& text) const {
    if (!json_) {
        print(text);
    }
}

void StepsRun::show_end() const {
    const bool interrupted = interrupt_.requested();
    if (json_) {
        Json document = plan_.head;
        document["interrupted"] = interrupted;
        document["steps"] = steps_json(plan_.view, runs_);
        print_json(document);
    } else if (interrupted) {
        print(fmt::format("interrupted: {} of {} steps were run\n", runs_.size(), planned()));
    }
}

std::size_t StepsRun::planned() const {
    std::size_t steps = 0;
    for (const Device* device : plan_.devices) {
        steps += steps_on(plan_.set, *device).size();
    }
    return steps * plan_.inputs.size();
}

struct Arguments : CommonArguments {
    std::string type = "float32";
    std::string size = "2^25";
    std::string sizes = "400,2560,10240";
    std::string radii = "1,2,4,8,12,16,25,32";
    std::string device{to_string(PlatformKind::cuda)};
    std::string devices;  ///< empty: the first GPU, where there is one, and the host
    bool tune_steps = false;

    std::vector<Option> type_and_size();
    std::vector<Option> common(const char* own_kernel);
    [[nodiscard]] StepInput input() const {
        return {parse_element_type(type), parse_size(size), 0};
    }
};

std::vector<Option> Arguments::type_and_size() {
    return {{"--type", &type, "float32 or int32 [float32]"},
            {"--size", &size, "Elements, as in 1000 or 2^20+7 [2^25]"},
            {"--device", &device, "cuda or cuda:N [cuda]", {.choices = gpu_choices()}}};
}

std::vector<Option> Arguments::common(const char* own_kernel) {
    return {budget_option(fmt::format("Seconds for tuning {} [JITUNE_BUDGET, else 2]", own_kernel)),
            database_option(), log_option(), json_option()};
}

/// Throws Error(usage) for inputs that the steps cannot take, before any device is looked for.
void refuse_bad_inputs(const StepSet& set, std::span<const StepInput> inputs) {
    for (const StepInput& input : inputs) {
        static_cast<void>(set.problem(input));
    }
}

Device& cuda_device(Engine& engine, const std::string& id) {
    refuse_auto(id);
    Device& device = engine.device(id);
    if (device.info().platform != PlatformKind::cuda) {
        throw Error(
            ErrorKind::usage,
            "the steps are CUDA kernels: --device takes cuda or cuda:N, not " + device.info().id);
    }
    return device;
}

std::string device_text(Device& device) {
    return fmt::format("{} ({}), {}", device.info().id, device.info().name, device.compiler());
}

int run_reduction(const Arguments& arguments) {
    const StepSet& set = step_set("reduce");
    const StepInput input = arguments.input();
    refuse_bad_inputs(set, {&input, 1});
    Session session(arguments.options());
    Device& device = cuda_device(SessionAccess::engine(session), arguments.device);
    const auto peak = Roofline(device.info()).gb_per_s();
    const Json head{{"kernel", set.kernel},
                    {"type", to_string(input.type)},
                    {"n", input.size},
                    {"device", device.info().id},
                    {"device_name", device.info().name},
                    {"compiler", device.compiler()},
                    {"peak_gb_per_s", peak ? Json(*peak) : Json()}};
    return StepsRun(
               SessionAccess::engine(session),
               {.set = set,
                .view = reduction_steps_view(arguments.tune_steps),
                .devices = {&device},
                .inputs = {input},
                .tune = arguments.tune_steps,
                .title = fmt::format("the {} sum of {} elements on {}\n", to_string(input.type),
                                     size_text(input.size), device_text(device)),
                .head = head},
               arguments.json)
        .run();
}

int run_stencil(const Arguments& arguments) {
    const StepSet& set = step_set("stencil");
    std::vector<StepInput> inputs;
    for (const std::string& radius : parse_list("--radius", arguments.radii)) {
        inputs.push_back(arguments.input());
        inputs.back().radius = parse_radius(radius);
    }
    refuse_bad_inputs(set, inputs);
    Session session(arguments.options());
    Device& device = cuda_device(SessionAccess::engine(session), arguments.device);
    const StepInput& input = inputs.front();
    const Json head{{"kernel", set.kernel},
                    {"type", to_string(input.type)},
                    {"n", input.size},
                    {"device", device.info().id},
                    {"device_name", device.info().name}};
    return StepsRun(SessionAccess::engine(session),
                    {.set = set,
                     .view = stencil_steps_view(),
                     .devices = {&device},
                     .inputs = inputs,
                     .title = fmt::format(
                         "the {} mean of neighbours of {} elements on {}\n"
                         "sh: shared memory, rc: register cache, with so many outputs "
                         "for each thread\n",
                         to_string(input.type), size_text(input.size), device_text(device)),
                     .head = head},
                    arguments.json)
        .run();
}

/// The devices of --devices; without it the first GPU, where there is one, and the host.
std::vector<Device*> entropy_devices(Engine& engine, const std::string& ids) {
    std::vector<Device*> devices;
    if (ids.empty()) {
        devices.push_back(&engine.first_device());
        Device& host = engine.device(to_string(PlatformKind::host));
        if (devices.front() != &host) {
            devices.push_back(&host);
        }
        return devices;
    }
    for (const std::string& id : parse_list("--devices", ids)) {
        devices.push_back(&engine.device(id));
    }
    return devices;
}

int run_entropy(const Arguments& arguments) {
    const StepSet& set = step_set("entropy");
    std::vector<StepInput> inputs;
    for (const std::int64_t size : parse_single_sizes(arguments.sizes)) {
        inputs.push_back({ElementType::float32, size, 0});
    }
    refuse_bad_inputs(set, inputs);
    Session session(arguments.options());
    std::vector<Device*> devices =
        entropy_devices(SessionAccess::engine(session), arguments.devices);
    std::string title;
    for (const Device* device : devices) {
        title += fmt::format("{}: {}\n", device->info().id, device->info().name);
    }
    if (std::any_of(devices.begin(), devices.end(),
                    [](const Device* device) { return runs_on_cpu(device->info().platform); })) {
        devices.push_back(
            &device_of(SessionAccess::engine(session), to_string(PlatformKind::machine)));
    }
    Json head = Json::object();
    head["kernel"] = set.kernel;
    return StepsRun(SessionAccess::engine(session),
                    {.set = set,
                     .view = entropy_steps_view(inputs),
                     .devices = std::move(devices),
                     .inputs = inputs,
                     .title = title +
                              "entropies of 5 x 5 windows, float32, 16 levels; time: kernel / with "
                              "copies from and to host memory\n",
                     .head = head},
                    arguments.json)
        .run();
}

/// `run` gets the arguments that the options fill.
Invocation invocation(const std::shared_ptr<Arguments>& arguments, std::vector<Option> options,
                      int (*run)(const Arguments& arguments)) {
    return {std::move(options), [arguments, run] { return run(*arguments); }};
}

Invocation reduce_invocation() {
    const auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options = arguments->type_and_size();
    options.push_back({"--tune", &arguments->tune_steps,
                       "Also try every configuration of each step, and show the best"});
    append(options, arguments->common("jitune's own sum"));
    return invocation(arguments, std::move(options), run_reduction);
}

Invocation stencil_invocation() {
    const auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options = arguments->type_and_size();
    options.push_back(
        {"--radius", &arguments->radii, "Of 1 to 32, by comma [1,2,4,8,12,16,25,32]"});
    append(options, arguments->common("jitune's own stencil, each radius"));
    return invocation(arguments, std::move(options), run_stencil);
}

Invocation entropy_invocation() {
    const auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options{
        {"--sizes", &arguments->sizes, "Rows of square arrays, by comma [400,2560,10240]"},
        {"--devices", &arguments->devices, "Of cuda, cuda:N and host [those there are]"}};
    append(options, arguments->common("jitune's own kernel"));
    return invocation(arguments, std::move(options), run_entropy);
}

std::vector<Command> steps_commands() {
    return {
        {"reduce", "The sum as three articles make it fast", reduce_invocation},
        {"entropy", "The windowed entropy as an article makes it fast", entropy_invocation},
        {"stencil", "The mean of neighbours in shared memory and in a register cache",
         stencil_invocation},
    };
}

std::string steps_version() {
    return fmt::format("jitune_steps {}", JITUNE_VERSION_STRING);
}

}  // namespace

}  // namespace jitune::internal

int main(int argc, char** argv) {
    using namespace jitune::internal;
    return run_program(argc, argv,
                       {.name = "jitune_steps",
                        .summary = "jitune_steps runs well-known kernels step by step beside "
                                   "jitune's own, which it tunes",
                        .version = steps_version,
                        .commands = steps_commands});
}
