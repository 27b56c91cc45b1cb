// SPDX-License-Identifier: Apache-2.0
#include "cli/families/file_command.hpp"

#include <optional>

#include "cli/app/common_options.hpp"
#include "dispatch/session_access.hpp"
#include "jitune/session.hpp"
#include "measure/statistics.hpp"
#include "text/units.hpp"
#include "tuning/measure/rig.hpp"

namespace jitune::internal {

namespace {

/// The outcome of one launch on the caller's data.
struct TimedCase {
    std::vector<std::byte> output;  ///< the first output
    double seconds = 0;  ///< median of one call, with the cache as the template says and without
                         ///< transfers
};

/// A workload of the caller's data alone.
class OwnData : public Workload {
public:
    explicit OwnData(Case one) : one_(std::move(one)) {
        one_.judge = [this](std::span<const std::vector<std::byte>> outputs) {
            answer_ = outputs[0];
            return std::string();
        };
    }

    [[nodiscard]] std::vector<Case> checks(const Problem&) const override { return {}; }
    [[nodiscard]] Case timed(const Problem&) const override { return one_; }

    [[nodiscard]] std::vector<std::byte> take_answer() { return std::move(answer_); }

private:
    Case one_;
    std::vector<std::byte> answer_;
};

[[noreturn]] void fail_to_time(const Problem& problem, const TrialFailure& failure) {
    throw Error(ErrorKind::device, "cannot time " + problem.kernel + ": " + failure.reason,
                failure.native_code);
}

/// Prepares the launch once. A placement compiles its kernels here, and throws the right kind of
/// Error; a trial would report any failure as one of the device.
void prepare(const Resolved& resolved, std::span<const std::int64_t> sizes) {
    std::unique_ptr<ReadyLaunch> ready;
    resolved.program->prepare(resolved.rule.bind(resolved.rule.plan(sizes), Scratch{}), ready);
}

double median_seconds(Rig& rig, const Problem& problem, const Resolved& resolved) {
    constexpr int kSamples = 9;
    auto timer = rig.timer(*resolved.program, resolved.rule);
    if (const auto* failure = std::get_if<TrialFailure>(&timer)) {
        fail_to_time(problem, *failure);
    }
    std::vector<double> samples;
    for (int i = 0; i <= kSamples; ++i) {
        const auto sample = Rig::sample(*std::get<std::unique_ptr<Timer>>(timer));
        if (const auto* failure = std::get_if<TrialFailure>(&sample)) {
            fail_to_time(problem, *failure);
        }
        samples.push_back(std::get<double>(sample));
    }
    samples.erase(samples.begin());  // the first one warms up
    return summarize(samples).median_ns * 1e-9;
}

/// Copies the inputs of `one` to the task's device, and launches and times `resolved`, the answer
/// to the task, there. `one.judge` is not used. Throws Error(device), and Error(unavailable) if
/// the device has too little memory or no compiler for a placement.
TimedCase time_case(Engine& engine, const Task& task, const Resolved& resolved, Case one) {
    prepare(resolved, one.sizes);
    one.name = "the given data";
    OwnData data(std::move(one));
    Rig rig(task.device, data, task.problem, task.kernel_template().front_matter().warm_cache,
            engine.log());
    const DeviceLock::Turn turn = rig.turn();
    if (const auto failure = rig.check(*resolved.program, resolved.rule)) {
        fail_to_time(task.problem, *failure);
    }
    TimedCase result;
    result.seconds = median_seconds(rig, task.problem, resolved);
    result.output = data.take_answer();
    return result;
}

struct FileArguments : CommonArguments {
    std::shared_ptr<FileCommand> command;
    std::string device;
};

/// The winner that was launched, and its speed.
struct FileRun {
    std::optional<DispatchInfo> info;  ///< empty: nothing was launched
    std::string reason = {};           ///< as Resolved::reason
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
    return {launch.answer.info, launch.answer.reason, timed.seconds,
            problem.bytes / timed.seconds / 1e9, engine.counters().compiles};
}

Json to_json(const FileProblem& problem, const FileRun& run) {
    const auto& info = run.info;
    Json document = problem.json;
    document["device"] = info ? Json(info->device) : Json();
    document["origin"] = info ? Json(to_string(info->origin)) : Json();
    document["reason"] = run.reason.empty() ? Json() : Json(run.reason);
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
        if (!run.reason.empty()) {
            lines.emplace_back("reason", run.reason);
        }
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
    command.check();
    const NpyFile file(command.file);
    FileProblem problem = command.problem(file);
    const FileRun run = launch(arguments, problem);
    command.complete(problem);
    if (!command.output.empty()) {
        write_npy(command.output, problem.output_type, problem.output_shape, problem.output);
    }
    print_either(arguments.json, to_json(problem, run), to_text(problem, run));
    return kExitOk;
}

}  // namespace

CaseArgument input_of(const void* data, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(data);
    return {std::make_shared<const std::vector<std::byte>>(first, first + bytes), bytes, 0};
}

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
