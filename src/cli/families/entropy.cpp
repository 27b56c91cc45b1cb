// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/device_argument.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/families/entropy_arguments.hpp"
#include "cli/families/file_run.hpp"
#include "dispatch/session_access.hpp"
#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "families/own/npy.hpp"
#include "sweep/timed_case.hpp"

namespace jitune::internal::entropy_command {

namespace {

struct Arguments : FileRunArguments {
    std::string output;  ///< empty: the entropies are not written
    std::string window = "5";
    std::string levels = "16";
    double base = std::numbers::e;
};

struct Answer {
    std::vector<std::byte> output;
    FileRun run;
};

detail::EntropyRequest request_of(const Arguments& arguments, const NpyHeader& header) {
    if (header.shape.size() != 2 || header.fortran_order) {
        throw Error(
            ErrorKind::usage,
            fmt::format("{}: has {} dimension{} in {} order: must have two dimensions in C order",
                        arguments.file, header.shape.size(), header.shape.size() == 1 ? "" : "s",
                        header.fortran_order ? "Fortran" : "C"));
    }
    refuse_other_elements(header.type);
    Entropy entropy = parse_entropy(arguments.window, arguments.levels);
    entropy.base = arguments.base;
    const detail::EntropyRequest request{header.type, header.shape[0], header.shape[1], entropy};
    refuse_bad_entropy(request);
    return request;
}

Answer answer(const Arguments& arguments, const NpyFile& file,
              const detail::EntropyRequest& request) {
    const Options options = arguments.options();
    if (file.header().count == 0) {
        return {};
    }
    Session session(options);
    Engine& engine = SessionAccess::engine(session);
    Device& device = chosen_place(engine, arguments.device);
    const Resolved& resolved = resolve_entropy(engine, device, request);
    const std::size_t count = file.header().count;
    const std::size_t element = bytes_of(request.element);
    Case one;
    one.sizes = {request.rows, request.columns};
    one.arguments = {
        input_of(file.data(), count * element), {}, CaseArgument::output(count * sizeof(float))};
    one.arguments[1].value = std::bit_cast<std::uint64_t>(scale_of(request.entropy));
    TimedCase timed =
        time_case(engine, {device, entropy_kernel_on(device), entropy_problem(request)}, resolved,
                  std::move(one));
    const double bytes = static_cast<double>(count) * static_cast<double>(element + sizeof(float));
    return {
        std::move(timed.output),
        {resolved.info, timed.seconds, bytes / timed.seconds / 1e9, engine.counters().compiles}};
}

Json to_json(const Answer& answer, const detail::EntropyRequest& request) {
    Json document{{"type", to_string(request.element)}, {"rows", request.rows},
                  {"columns", request.columns},         {"window", request.entropy.window},
                  {"levels", request.entropy.levels},   {"base", request.entropy.base}};
    answer.run.add_to(document);
    return document;
}

std::string to_text(const Answer& answer, const detail::EntropyRequest& request) {
    const Entropy& entropy = request.entropy;
    return file_run_line("entropy", fmt::format("of windows of {0} x {0}, {1} levels, base {2}",
                                                entropy.window, entropy.levels, entropy.base)) +
           file_run_line("of", fmt::format("{} x {} {}", request.rows, request.columns,
                                           to_string(request.element))) +
           answer.run.text("nothing to launch for an empty array");
}

int run(const Arguments& arguments) {
    refuse_overwriting(arguments.file, "--output", arguments.output);
    const NpyFile file(arguments.file);
    const detail::EntropyRequest request = request_of(arguments, file.header());
    const Answer answered = answer(arguments, file, request);
    if (!arguments.output.empty()) {
        write_npy(arguments.output, ElementType::float32, file.header().shape, answered.output);
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
        {"FILE",
         &given.file,
         "A .npy array of two dimensions, of uint8, int32 or float32 levels",
         {.required = true}},
        {"--window", &given.window, "Rows and columns of the window, odd, 3 to 15 [5]"},
        {"--levels", &given.levels, "Number of levels, 2 to 256 [16]"},
        {"--base", &given.base, "Base of the logarithm [e]"},
        {"--output", &given.output, "Write the entropies to this .npy file"}};
    append(options, given.dispatch_options(kPlacedDevices));
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::entropy_command
