// SPDX-License-Identifier: Apache-2.0
#include "cli/families/file_command.hpp"

#include <optional>

#include <fmt/format.h>

#include "cli/app/common_options.hpp"
#include "cli/app/device_argument.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "dispatch/session_access.hpp"
#include "jitune/session.hpp"
#include "sweep/timed_case.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

struct FileArguments : CommonArguments {
    std::shared_ptr<FileCommand> command;
    std::string device;
};

/// The winner that was launched, and its speed.
struct FileRun {
    std::optional<DispatchInfo> info;  ///< empty: nothing was launched
    double seconds = 0;
    double gb_per_s = 0;
    std::int64_t compiles = 0;
};

/// Gives the problem its output.
FileRun launch(const FileArguments& arguments, FileProblem& problem) {
    const Options options = arguments.options();
    if (problem.launch == nullptr) {
        return {};
    }
    Session session(options);
    Engine& engine = SessionAccess::engine(session);
    Device& device = arguments.command->can_be_placed ? chosen_place(engine, arguments.device)
                                                      : chosen_device(engine, arguments.device);
    FileProblem::Launch launch = problem.launch(engine, device);
    TimedCase timed = time_case(engine, launch.task, launch.answer, std::move(launch.data));
    problem.output = std::move(timed.output);
    return {launch.answer.info, timed.seconds, problem.bytes / timed.seconds / 1e9,
            engine.counters().compiles};
}

Json to_json(const FileProblem& problem, const FileRun& run) {
    const auto& info = run.info;
    Json document = problem.json;
    document["device"] = info ? Json(info->device) : Json();
    document["origin"] = info ? Json(to_string(info->origin)) : Json();
    document["configuration"] = info ? Json(info->configuration) : Json();
    document["seconds"] = run.seconds;
    document["gb_per_s"] = run.gb_per_s;
    document["compiles"] = run.compiles;
    return document;
}

std::string to_text(const FileProblem& problem, const FileRun& run) {
    auto lines = problem.lines;
    if (const auto& info = run.info) {
        lines.emplace_back("device", fmt::format("{} ({})", info->device, info->device_name));
        lines.emplace_back("configuration", info->configuration);
        lines.emplace_back("origin", to_string(info->origin));
        lines.emplace_back("time", time_text(run.seconds * 1e9));
        lines.emplace_back("rate", fmt::format("{} GB/s", rate_text(run.gb_per_s)));
    } else {
        lines.emplace_back("device", problem.nothing);
    }
    std::string text;
    for (const auto& [name, value] : lines) {
        text += fmt::format("{:<14} {}\n", name, value);
    }
    return text;
}

int run_on_file(const FileArguments& arguments) {
    FileCommand& command = *arguments.command;
    refuse_overwriting(command.file, "--output", command.output);
    const NpyFile file(command.file);
    FileProblem problem = command.problem(file);
    const FileRun run = launch(arguments, problem);
    command.complete(problem);
    if (!command.output.empty()) {
        write_npy(command.output, problem.output_type, problem.output_shape, problem.output);
    }
    if (arguments.json) {
        print_json(to_json(problem, run));
    } else {
        print(to_text(problem, run));
    }
    return kExitOk;
}

}  // namespace

Invocation file_invocation(std::shared_ptr<FileCommand> command) {
    auto arguments = std::make_shared<FileArguments>();
    arguments->command = std::move(command);
    std::vector<Option> options = arguments->command->options();
    const char* const devices =
        arguments->command->can_be_placed ? kPlacedDevices : "host, cuda or cuda:N";
    append(options,
           {device_option(&arguments->device,
                          fmt::format("{} [the first GPU, else the host]", devices)),
            arguments->tune_option(TunePolicy::now),
            arguments->budget_option("Seconds to try candidates [JITUNE_BUDGET, else 2]"),
            arguments->database_option(), arguments->log_option(), arguments->json_option()});
    return {std::move(options), [arguments] { return run_on_file(*arguments); }};
}

}  // namespace jitune::internal
