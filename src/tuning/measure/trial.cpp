// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/trial.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "measure/statistics.hpp"

namespace jitune::internal {
namespace {

std::string reference_name(const Task& task) {
    return "the reference of " + task.kernel_template().source().name;
}

/// True if a function of the caller computes the right answers while the data is made.
bool knows_answers_by_caller(const Task& task) {
    const auto& reference = task.kernel_template().front_matter().reference;
    return reference && reference->kind == ReferenceSpec::Kind::host;
}

/// What a compiler has made of the reference says nothing about the template's default.
std::shared_ptr<const Program> load(const Task& task, const std::string& name,
                                    const Binary& binary) {
    try {
        return task.device.load(binary);
    } catch (const Error& error) {
        throw Error(ErrorKind::compile, fmt::format("cannot load {}: {}", name, error.what()),
                    error.native_code());
    }
}

// A slow or noisy candidate must not use up the budget of the others: after this time it ends with
// the fewest samples that bound a median.
constexpr std::chrono::milliseconds kCandidateTime{200};

}  // namespace

void announce_data(const Task& task, const TuneHooks& hooks) {
    hooks.observer->prepare(knows_answers_by_caller(task) ? "running " + reference_name(task)
                                                          : "making the data of " + task.name());
}

void learn_reference(const Task& task, Rig& rig, BinaryCache& binaries, const TuneHooks& hooks) {
    if (!rig.needs_reference()) {
        return;
    }
    const std::string name = reference_name(task);
    hooks.observer->prepare("running " + name);
    const auto reference = task.reference(task.default_configuration());
    if (!reference) {
        throw Error(ErrorKind::usage,
                    name + " is missing, and the workload does not know the right answers");
    }
    const CompileOutcome outcome = binaries.compile(task, reference->instance);
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
        throw Error(ErrorKind::compile, fmt::format("cannot compile {}: {}", name, failure->log));
    }
    const auto program = load(task, name, std::get<Binary>(outcome));
    const DeviceLock::Turn turn = rig.turn();
    if (const auto failure = rig.learn(*program, reference->rule)) {
        throw Error(failure->fatal ? ErrorKind::device : ErrorKind::verify,
                    fmt::format("{} failed: {}", name, failure->reason), failure->native_code);
    }
}

std::optional<TrialFailure> Trial::check(const Binary& binary, const Configuration& configuration) {
    await_turn(hooks_);
    const DeviceLock::Turn turn = rig_.turn();
    auto loaded = load_checked(binary, configuration);
    auto* const failure = std::get_if<TrialFailure>(&loaded);
    return with_side_effects(failure == nullptr ? std::nullopt : std::optional(*failure));
}

std::optional<TrialFailure> Trial::time(const Binary& binary, Evaluation& evaluation,
                                        std::optional<double> best_ns) {
    await_turn(hooks_);
    const DeviceLock::Turn turn = rig_.turn();
    return with_side_effects(time_checked(binary, evaluation, best_ns, turn.alone()));
}

std::optional<TrialFailure> Trial::with_side_effects(std::optional<TrialFailure> failure) {
    const std::string harm = hooks_.observer->side_effects();
    if (harm.empty()) {
        return failure;
    }
    TrialFailure result = failure.value_or(TrialFailure{});
    result.reason += (result.reason.empty() ? "" : "; ") + harm;
    result.fatal = true;  // later candidates would be blamed for it
    return result;
}

std::optional<TrialFailure> Trial::time_checked(const Binary& binary, Evaluation& evaluation,
                                                std::optional<double> best_ns, bool alone) {
    auto loaded = load_checked(binary, evaluation.configuration);
    if (auto* failure = std::get_if<TrialFailure>(&loaded)) {
        evaluation.unloadable = failure->unloadable;
        return std::move(*failure);
    }
    const auto& [program, rule] = std::get<Loaded>(loaded);
    hooks_.observer->begin(evaluation.configuration.text(), TuneObserver::Phase::time);
    auto timer = rig_.timer(*program, rule);
    if (auto* failure = std::get_if<TrialFailure>(&timer)) {
        return std::move(*failure);
    }
    auto disturbance = take_steady_samples(*std::get<std::unique_ptr<Timer>>(timer),
                                           evaluation.samples_ns, best_ns);
    if (auto* failure = std::get_if<TrialFailure>(&disturbance)) {
        return std::move(*failure);
    }
    if (auto failure = rig_.judge_timed()) {
        return failure;
    }
    evaluation.conditions = rig_.conditions(std::get<Disturbance>(disturbance), alone);
    return rig_.judge_time(summarize(evaluation.samples_ns).median_ns);
}

std::variant<Trial::Loaded, TrialFailure> Trial::load_checked(const Binary& binary,
                                                              const Configuration& configuration) {
    hooks_.observer->begin(configuration.text(), TuneObserver::Phase::load);
    Loaded loaded;
    try {
        loaded.program = task_.device.load(binary);
        loaded.rule = task_.launch_rule(configuration);
    } catch (const Error& error) {
        return TrialFailure{Verdict::launch_failed, error.what(), false, error.native_code(),
                            loaded.program == nullptr};
    }
    hooks_.observer->begin(configuration.text(), TuneObserver::Phase::check);
    if (auto failure =
            rig_.check(*loaded.program, loaded.rule, task_.is_repeatable(configuration))) {
        return std::move(*failure);
    }
    return loaded;
}

/// Samples that were disturbed are taken again, as often as DisturbanceWatch allows and until a
/// stop is requested.
std::variant<Disturbance, TrialFailure> Trial::take_steady_samples(Timer& timer,
                                                                   Samples& samples_ns,
                                                                   std::optional<double> best_ns) {
    Disturbance disturbance;
    int discarded = 0;
    do {
        samples_ns.clear();
        rig_.watch().begin();
        if (auto failure = take_samples(timer, samples_ns, best_ns)) {
            return std::move(*failure);
        }
        disturbance = rig_.watch().end();
    } while (disturbance.is_noise() && !*hooks_.stop && rig_.watch().discard(discarded++));
    return disturbance;
}

std::optional<TrialFailure> Trial::take_samples(Timer& timer, Samples& samples_ns,
                                                std::optional<double> best_ns) const {
    const auto begin = hooks_.time->now();
    const auto enough = [&] {
        const bool late = *hooks_.stop || hooks_.time->now() - begin > kCandidateTime;
        return rule_.enough(samples_ns, best_ns) ||
               (late && static_cast<int>(samples_ns.size()) >= rule_.min_samples);
    };
    while (!enough()) {
        auto sample = Rig::sample(timer);
        if (auto* failure = std::get_if<TrialFailure>(&sample)) {
            return std::move(*failure);
        }
        samples_ns.push_back(std::get<double>(sample));
    }
    return std::nullopt;
}

}  // namespace jitune::internal
