// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/device_argument.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/families/file_run.hpp"
#include "cli/families/stencil_arguments.hpp"
#include "dispatch/session_access.hpp"
#include "families/own/npy.hpp"
#include "families/stencil/stencil_call.hpp"
#include "sweep/timed_case.hpp"

namespace jitune::internal::stencil_command {

namespace {

struct Arguments : FileRunArguments {
    std::string output;  ///< empty: the outputs are not written
    std::string radius = "1";
    std::optional<std::string> weights;
    std::string boundary = "valid";
    bool mean = false;
};

struct Answer {
    std::vector<std::byte> output;
    FileRun run;
};

Answer answer(const Arguments& arguments, const NpyFile& file,
              const detail::StencilRequest& request) {
    const Options options = arguments.options();
    StencilWeights weights(request);
    const std::int64_t outputs = stencil_outputs(request.n, request.stencil);
    if (outputs == 0) {
        return {};
    }
    const std::size_t element = bytes_of(request.element);
    Session session(options);
    Engine& engine = SessionAccess::engine(session);
    Device& device = chosen_place(engine, arguments.device);
    const Resolved& resolved = resolve_stencil(engine, device, request, kFastAlignment);
    Case one;
    one.sizes = {request.n};
    one.arguments = {input_of(file.data(), file.header().count * element),
                     input_of(weights.data(), weights.bytes().size()),
                     CaseArgument::output(static_cast<std::size_t>(outputs) * element)};
    one.arguments[1].by_value = true;
    TimedCase timed = time_case(
        engine, {device, stencil_kernel_on(device), stencil_problem(request, kFastAlignment)},
        resolved, std::move(one));
    const double bytes = static_cast<double>(request.n + outputs) * static_cast<double>(element);
    return {
        std::move(timed.output),
        {resolved.info, timed.seconds, bytes / timed.seconds / 1e9, engine.counters().compiles}};
}

Json to_json(const Answer& answer, const detail::StencilRequest& request) {
    Json document{{"type", to_string(request.element)},
                  {"n", request.n},
                  {"radius", request.stencil.radius},
                  {"weighting", weighting_of(request.stencil)},
                  {"boundary", to_string(request.stencil.boundary)},
                  {"outputs", stencil_outputs(request.n, request.stencil)}};
    answer.run.add_to(document);
    return document;
}

std::string to_text(const Answer& answer, const detail::StencilRequest& request) {
    const Stencil& stencil = request.stencil;
    return file_run_line("stencil", fmt::format("{} of radius {}, {}", weighting_of(stencil),
                                                stencil.radius, to_string(stencil.boundary))) +
           file_run_line("of", fmt::format("{} {}", request.n, to_string(request.element))) +
           file_run_line("outputs", fmt::format("{}", stencil_outputs(request.n, stencil))) +
           answer.run.text("nothing to launch for no outputs");
}

int run(const Arguments& arguments) {
    refuse_overwriting(arguments.file, "--output", arguments.output);
    const NpyFile file(arguments.file);
    const std::vector<double> weights =
        arguments.weights ? parse_weights(*arguments.weights) : std::vector<double>();
    const Stencil stencil{parse_radius(arguments.radius), weights, arguments.mean,
                          parse_boundary(arguments.boundary)};
    const detail::StencilRequest request{file.header().type, stencil,
                                         static_cast<std::int64_t>(file.header().count)};
    const Answer answered = answer(arguments, file, request);
    if (!arguments.output.empty()) {
        const std::int64_t outputs = stencil_outputs(request.n, stencil);
        write_npy(arguments.output, request.element, std::span(&outputs, 1), answered.output);
    }
    if (arguments.json) {
        print_json(to_json(answered, request));
    } else {
        print(to_text(answered, request));
    }
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    std::vector<Option> options{
        {"FILE", &given.file, "A .npy array of int32, float32 or float64", {.required = true}},
        {"--radius", &given.radius, "Neighbours on each side, 1 to 32 [1]"},
        {"--weights", &given.weights, "2 radius + 1 numbers, separated by commas [all 1]"},
        {"--mean", &given.mean, "Divide each sum by 2 radius + 1", {.excludes = {"--weights"}}},
        {"--boundary", &given.boundary,
         "Neighbours outside the array: valid (no such outputs), zero, clamp or wrap [valid]"},
        {"--output", &given.output, "Write the outputs to this .npy file"}};
    append(options, given.dispatch_options(kPlacedDevices));
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::stencil_command
