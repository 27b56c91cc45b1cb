#include "engine/tuner.hpp"

#include <ctime>
#include <map>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "engine/finals.hpp"
#include "engine/rig.hpp"
#include "engine/search.hpp"
#include "jitune/error.hpp"

namespace jitune {

namespace {

Provenance provenance_of(Backend& backend) {
    const DeviceInfo& device = backend.info();
    return {device.name, device.uuid, device.driver, backend.compiler(),
            fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))};
}

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

/// The winner's code compiled alone: what was timed shares its image with other candidates.
Binary compile_alone(Backend& backend, const KernelTemplate& kernel, const Problem& problem,
                     const Evaluation& winner, Rig& rig, BinaryCache& binaries) {
    const Instance instance = kernel.instance(problem, winner.configuration);
    const std::vector<CompileOutcome> outcomes =
        binaries.compile(backend, kernel.source(), kernel.hash(), std::span(&instance, 1));
    const auto* binary = std::get_if<Binary>(&outcomes.front());
    if (binary == nullptr) {
        return *winner.binary;
    }
    const auto program = backend.load(*binary);
    const LaunchRule rule = kernel.launch_rule(problem, backend.info(), winner.configuration);
    return rig.check(*program, rule) ? *winner.binary : *binary;
}

class Recorder {
public:
    Recorder(RecordKey key, std::string sizes, Provenance provenance)
        : key_(std::move(key)), sizes_(std::move(sizes)), provenance_(std::move(provenance)) {}

    [[nodiscard]] Measurement measurement(const Evaluation& evaluation,
                                          const std::vector<double>& samples_ns,
                                          std::string conditions) const {
        return {key_,
                sizes_,
                evaluation.configuration.text(),
                evaluation.verdict,
                evaluation.reason,
                std::move(conditions),
                samples_ns,
                provenance_};
    }

    [[nodiscard]] Winner winner(const std::vector<Finalist>& finalists, std::size_t default_index,
                                const Binary& binary, bool complete) const {
        const Finalist& first = finalists.front();
        double default_ns = 0;
        for (const Finalist& one : finalists) {
            default_ns =
                one.evaluation->index == default_index ? one.summary.median_ns : default_ns;
        }
        return {key_,
                sizes_,
                first.evaluation->configuration.text(),
                first.summary.median_ns,
                first.summary.noise,
                default_ns,
                complete,
                binary.format,
                *binary.image,
                binary.symbols,
                provenance_};
    }

private:
    RecordKey key_;
    std::string sizes_;
    Provenance provenance_;
};

}  // namespace

TuneReport tune(Backend& backend, const KernelTemplate& kernel, const Workload& workload,
                const Problem& problem, const TuneOptions& options, BinaryCache& binaries,
                const Log& log) {
    kernel.check(problem);
    const SearchSpace space = kernel.space(problem, backend.info());
    const std::size_t default_index = space.find(kernel.default_configuration(space));
    Rig rig(backend, workload, problem);
    Search search(backend, kernel, problem, space, rig, binaries, options, log);
    search.run();

    const std::vector<Finalist> finalists = run_finals(
        backend, kernel, problem, rig, search.evaluations(), default_index, options.budget / 4);
    if (finalists.empty()) {
        throw_no_winner(kernel, backend.info(), search.evaluations());
    }
    const Recorder recorder(kernel.key(problem, backend.info()),
                            sizes_text(problem, kernel.front_matter().sizes),
                            provenance_of(backend));
    TuneReport report;
    for (const Evaluation& evaluation : search.evaluations()) {
        report.measurements.push_back(
            recorder.measurement(evaluation, evaluation.samples_ns, rig.conditions()));
    }
    for (const Finalist& finalist : finalists) {
        report.measurements.push_back(recorder.measurement(
            *finalist.evaluation, finalist.samples_ns, rig.conditions() + " interleaved"));
    }
    const Binary binary =
        compile_alone(backend, kernel, problem, *finalists.front().evaluation, rig, binaries);
    report.winner = recorder.winner(finalists, default_index, binary, search.complete());
    report.progress = search.progress();
    return report;
}

}  // namespace jitune
