// SPDX-License-Identifier: Apache-2.0
// The three commands `jitune steps reduce`, `stencil` and `entropy`.
#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/device_argument.hpp"
#include "cli/families/sizes.hpp"
#include "cli/families/stencil_arguments.hpp"
#include "cli/tune/steps_run.hpp"
#include "cli/tune/steps_views.hpp"
#include "dispatch/session_access.hpp"
#include "jitune/error.hpp"
#include "jitune/session.hpp"
#include "spread/machine.hpp"
#include "text/units.hpp"
#include "tuning/measure/roofline.hpp"

namespace jitune::internal::steps_command {

namespace {

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

}  // namespace

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

}  // namespace jitune::internal::steps_command
