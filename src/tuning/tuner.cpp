// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuner.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "measure/paired_comparison.hpp"
#include "tuning/finals.hpp"
#include "tuning/recorder.hpp"
#include "tuning/rig.hpp"
#include "tuning/search.hpp"

namespace jitune::internal {

namespace {

/// Why nothing can win, from what became of the candidates.
[[noreturn]] void throw_no_winner(const KernelTemplate& kernel, const DeviceInfo& device,
                                  const std::vector<Evaluation>& evaluations) {
    std::map<std::string, int> counts;
    std::string example;
    bool compiled = false;
    for (const Evaluation& evaluation : evaluations) {
        ++counts[to_string(evaluation.verdict)];
        compiled = compiled || evaluation.verdict != Verdict::compile_failed;
        if (example.empty() && !evaluation.reason.empty()) {
            example = evaluation.configuration.text() + ": " + evaluation.reason;
        }
    }
    std::string summary;
    for (const auto& [verdict, count] : counts) {
        summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, verdict);
    }
    throw Error(compiled ? ErrorKind::verify : ErrorKind::compile,
                fmt::format("tuning {} on {}: no configuration works ({}). For example {}",
                            kernel.source().name, device.id, summary, example));
}

/// The winner's code compiled alone, for what was timed shares its image with other candidates.
/// Where that code does not load or gives another result, the image that was timed.
Binary compile_alone(Device& device, const KernelTemplate& kernel, const Problem& problem,
                     const Evaluation& winner, Rig& rig, BinaryCache& binaries, const Log& log) {
    const Instance instance = kernel.instance(problem, winner.configuration);
    const std::vector<CompileOutcome> outcomes =
        binaries.compile(device, kernel.source(), kernel.hash(), std::span(&instance, 1));
    const auto* binary = std::get_if<Binary>(&outcomes.front());
    if (binary == nullptr) {
        return *winner.binary;
    }
    std::shared_ptr<const Program> program;
    try {
        program = device.load(*binary);
    } catch (const Error& error) {
        log.warning("{} compiled alone: {}", winner.configuration.text(), error.what());
        return *winner.binary;
    }
    const LaunchRule rule = kernel.launch_rule(problem, device.info(), winner.configuration);
    const DeviceLock::Turn turn = rig.turn();
    const auto failure =
        rig.check(*program, rule,
                  kernel.reproducibility(winner.configuration, problem, device.info()) != "any");
    if (failure) {
        refuse_lost_device(*failure, winner.configuration);
    }
    return failure ? *winner.binary : *binary;
}

/// Round by round where the default was in the finals, else from its first round.
Gain gain_of(const Search& search, const std::vector<Finalist>& finalists) {
    const Finalist& winner = finalists.front();
    const std::size_t index = search.seeds().front();
    Gain gain{0, {winner.conditions, winner.uncertainty, 0, 0}};
    for (const Finalist& one : finalists) {
        if (one.evaluation->index == index) {
            const Ratio ratio = ratio_of(one.samples_ns, winner.samples_ns);
            gain.default_ns = one.summary.median_ns;
            gain.certainty.speed_up_low = ratio.low;
            gain.certainty.speed_up_high = ratio.high;
            return gain;
        }
    }
    const auto first = std::find_if(search.evaluations().begin(), search.evaluations().end(),
                                    [&](const Evaluation& one) { return one.index == index; });
    if (first != search.evaluations().end() && first->verdict == Verdict::timed) {
        const double speed_up = first->median_ns / winner.summary.median_ns;
        const double unsure = relative_uncertainty(first->samples_ns) + winner.uncertainty;
        gain.default_ns = first->median_ns;
        gain.certainty.speed_up_low = speed_up * std::max(0.0, 1 - unsure);
        gain.certainty.speed_up_high = speed_up * (1 + unsure);
    }
    return gain;
}

/// Lets the rig learn from the template's reference where the workload does not know the answers.
void learn_reference(Device& device, const KernelTemplate& kernel, const Problem& problem,
                     const Configuration& standard, Rig& rig, BinaryCache& binaries) {
    if (!rig.needs_reference()) {
        return;
    }
    const std::string what = fmt::format("the reference of {}", kernel.source().name);
    const auto reference = kernel.reference(problem, device.info(), standard);
    if (!reference) {
        throw Error(ErrorKind::usage, what + " is missing, and nothing else knows the answers");
    }
    const CompileOutcome outcome =
        binaries.compile(device, kernel.source(), kernel.hash(), std::span(&reference->instance, 1))
            .front();
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
        throw Error(ErrorKind::compile, fmt::format("compiling {}: {}", what, failure->log));
    }
    const auto program = device.load(std::get<Binary>(outcome));
    const DeviceLock::Turn turn = rig.turn();
    if (const auto failure = rig.learn(*program, reference->rule)) {
        throw Error(failure->fatal ? ErrorKind::device : ErrorKind::verify,
                    fmt::format("running {}: {}", what, failure->reason));
    }
}

/// Who has asked to stop does not wait for long finals.
std::chrono::milliseconds finals_limit(const TuneOptions& options) {
    const bool stopped = options.stop != nullptr && options.stop->load();
    return stopped ? std::chrono::milliseconds(1) : options.budget / 4;
}

}  // namespace

TuneReport tune(Device& device, const KernelTemplate& kernel, const Workload& workload,
                const Problem& problem, const TuneOptions& options, BinaryCache& binaries,
                const Log& log) {
    kernel.check(problem);
    const SearchSpace space = kernel.space(problem, device.info());
    Search search(device, kernel, problem, space, binaries, options, log);
    Rig rig(device, workload, problem, kernel.front_matter().warm_cache, log);
    learn_reference(device, kernel, problem, kernel.default_configuration(space), rig, binaries);
    const Recorder recorder(kernel, problem, device);
    TuneReport report;
    const auto record = [&](const Evaluation& evaluation, const std::vector<double>& samples_ns,
                            const std::string& conditions) {
        report.measurements.push_back(recorder.measurement(evaluation, samples_ns, conditions));
        if (options.observer != nullptr) {
            options.observer->measured(report.measurements.back());
        }
    };
    search.run(rig, [&](const Evaluation& one) { record(one, one.samples_ns, one.conditions); });
    search.check_known();
    const std::vector<Finalist> finalists =
        run_finals(device, kernel, problem, rig, search.evaluations(), search.seeds(),
                   finals_limit(options), options.observer);
    if (finalists.empty()) {
        throw_no_winner(kernel, device.info(), search.evaluations());
    }
    for (const Finalist& finalist : finalists) {
        record(*finalist.evaluation, finalist.samples_ns, finalist.conditions);
    }
    if (options.observer != nullptr) {
        options.observer->begin(finalists.front().evaluation->configuration.text(),
                                TuneObserver::Phase::check);
    }
    const Binary binary =
        compile_alone(device, kernel, problem, *finalists.front().evaluation, rig, binaries, log);
    report.winner =
        recorder.winner(finalists, gain_of(search, finalists), binary, search.complete());
    report.progress = search.progress();
    return report;
}

}  // namespace jitune::internal
