// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuner.hpp"

#include <algorithm>
#include <optional>

#include "measure/timing_rules.hpp"
#include "support/loop_clock.hpp"
#include "tuning/finals/finals.hpp"
#include "tuning/measure/rig.hpp"
#include "tuning/measure/trial.hpp"
#include "tuning/record/record_maker.hpp"
#include "tuning/search/search.hpp"

namespace jitune::internal {

namespace {

constexpr std::chrono::milliseconds kNoTime{0};
constexpr std::chrono::milliseconds kUsual{100};  // a repetition of the finals

/// One tuning, from the first candidate to the winner.
class Tuning {
public:
    Tuning(const Task& task, const SearchPlan& plan, const TuneHooks& hooks, BinaryCache& binaries,
           const Log& log)
        : task_(task),
          plan_(plan),
          hooks_(hooks),
          binaries_(binaries),
          log_(log),
          active_(hooks),
          whole_(kUsual, active_),
          space_(task.space()),
          search_(task, space_, binaries, plan, hooks, log),
          rig_(task.device, *task.kernel.workload, task.problem,
               task.kernel_template().front_matter().warm_cache, log),
          record_maker_(task) {}

    TuneReport run() {
        learn_reference(task_, rig_, binaries_, hooks_);
        hooks_.observer->prepare("");
        const LoopClock::Time set_up = whole_.turn();
        search_.run(rig_, set_up, [&](const Evaluation& evaluation) {
            record(evaluation, evaluation.samples_ns, evaluation.conditions);
        });
        const LoopClock::Time searched = whole_.turn();
        std::vector<Finalist> finalists = finals();
        const LoopClock::Time chosen = whole_.turn();
        std::optional<Binary> alone = compile_alone(*finalists.front().evaluation);
        while (!alone) {  // without the one that was wrong
            finalists = finals();
            alone = compile_alone(*finalists.front().evaluation);
        }
        Gain gain = gain_of(finalists);
        count_rivals(finalists.front(), gain.certainty);
        report_.winner = record_maker_.winner(finalists, gain, *alone, search_.complete());
        report_.progress = search_.progress();
        const auto seconds = [](LoopClock::Time time) {
            return std::chrono::duration<double>(time).count();
        };
        log_.debug(
            "{}: set up after {:.3f} s, {} candidates after {:.3f} s, {} finalists after "
            "{:.3f} s, the winner alone after {:.3f} s",
            task_.name(), seconds(set_up), report_.progress.evaluated, seconds(searched),
            finalists.size(), seconds(chosen), seconds(whole_.turn()));
        return std::move(report_);
    }

private:
    void record(const Evaluation& evaluation, const std::vector<double>& samples_ns,
                const Conditions& conditions) {
        report_.measurements.push_back(
            record_maker_.measurement(evaluation, samples_ns, conditions));
        hooks_.observer->measured(report_.measurements.back());
    }
    /// Runs the finals. The result is not empty and begins with the winner.
    std::vector<Finalist> finals();
    /// What is left of the time for all finals of this tuning; nothing if it has no limit.
    [[nodiscard]] std::optional<std::chrono::milliseconds> left_for_finals();
    [[nodiscard]] std::optional<Binary> compile_alone(const Evaluation& winner);
    [[nodiscard]] Gain gain_of(const std::vector<Finalist>& finalists);
    [[nodiscard]] Gain gain_from_search(const Finalist& winner, Gain gain);
    /// If the default won because few others were timed, notes how many.
    void count_rivals(const Finalist& winner, Certainty& certainty) const;
    [[nodiscard]] std::vector<double> time_again(const Evaluation& evaluation, double best_ns);

    const Task& task_;
    const SearchPlan& plan_;
    const TuneHooks& hooks_;
    BinaryCache& binaries_;
    const Log& log_;
    const ActiveTime active_;
    LoopClock whole_;  ///< since this tuning began; a repetition of the finals is a turn
    const SearchSpace space_;
    Search search_;  // before the rig: the search's compilers work while the rig is set up
    Rig rig_;
    const RecordMaker record_maker_;
    std::optional<LoopClock> finals_time_;  ///< since the first finals; a repetition is a turn
    TuneReport report_;
};

std::optional<std::chrono::milliseconds> Tuning::left_for_finals() {
    if (plan_.limit.count() > 0) {
        return left_of(plan_.finals_end(), whole_);
    }
    if (plan_.budget.count() == 0) {
        return std::nullopt;
    }
    if (!finals_time_) {
        finals_time_.emplace(kUsual, active_);
        return plan_.budget / 4;
    }
    return left_of(plan_.budget / 4, *finals_time_);
}

/// If a finalist fails, another candidate, which it may have kept out, takes its place, while there
/// is time. After that, the finalists that have passed are enough.
std::vector<Finalist> Tuning::finals() {
    std::vector<Finalist> finalists;
    bool one_failed = true;
    for (auto left = left_for_finals();
         one_failed && (finalists.empty() || (left != kNoTime && !hooks_.stop->load()));
         left = left_for_finals()) {
        one_failed = false;
        search_.check_known();
        finalists = run_finals(
            task_, rig_, choose_finalists(search_.evaluations(), search_.seeds()), search_.seeds(),
            left, hooks_, [&](const Evaluation& failed, const TrialFailure& failure) {
                one_failed = true;
                search_.refute(failed, failure);
            });
    }
    if (finalists.empty()) {
        throw_no_winner(task_, search_.evaluations());
    }
    for (const Finalist& finalist : finalists) {
        record(*finalist.evaluation, finalist.samples_ns, finalist.conditions);
    }
    return finalists;
}

/// The image that was timed holds other candidates, too, so the winner is compiled once more by
/// itself. If it does not compile, load or launch alone, the timed image stays. Nothing if its
/// result is wrong: a candidate that is wrong once cannot win.
std::optional<Binary> Tuning::compile_alone(const Evaluation& winner) {
    // Announce the candidate before the compile, which is of this candidate, too.
    hooks_.observer->begin(winner.configuration.text(), TuneObserver::Phase::check);
    const CompileOutcome outcome = binaries_.alone(task_, task_.instance(winner.configuration));
    const auto* binary = std::get_if<Binary>(&outcome);
    if (binary == nullptr) {
        return winner.binary;
    }
    const auto failure = Trial(task_, rig_, hooks_).check(*binary, winner.configuration);
    if (!failure) {
        return *binary;
    }
    refuse_lost_device(*failure, task_.info(), winner.configuration);
    log_.warning("{} compiled alone: {}", winner.configuration.text(), failure->reason);
    if (failure->verdict != Verdict::wrong_result) {
        return winner.binary;
    }
    search_.refute(winner, *failure);
    return std::nullopt;
}

/// The winner beside the default, round by round if the default was in the finals, else beside
/// its time in the search.
Gain Tuning::gain_of(const std::vector<Finalist>& finalists) {
    Gain gain = gain_in_rounds(finalists, search_.seeds().front());
    return gain.default_ns > 0 ? gain : gain_from_search(finalists.front(), std::move(gain));
}

void Tuning::count_rivals(const Finalist& winner, Certainty& certainty) const {
    constexpr std::size_t kEnough = 2;
    const auto& evaluations = search_.evaluations();
    const auto timed = static_cast<std::size_t>(
        std::count_if(evaluations.begin(), evaluations.end(),
                      [](const Evaluation& one) { return one.verdict == Verdict::timed; }));
    if (!search_.complete() && winner.evaluation->index == search_.seeds().front() &&
        timed <= kEnough) {
        Conditions conditions = Conditions::parse(certainty.conditions);
        conditions.rivals = timed - 1;
        certainty.conditions = conditions.text();
    }
}

/// A few samples of a configuration that the search has timed; none if it fails by now.
std::vector<double> Tuning::time_again(const Evaluation& evaluation, double best_ns) {
    std::optional<Binary> binary = evaluation.binary;
    if (!binary) {  // an earlier search has timed it
        hooks_.observer->begin(evaluation.configuration.text(), TuneObserver::Phase::check);
        CompileOutcome outcome = binaries_.compile(task_, task_.instance(evaluation.configuration));
        if (std::holds_alternative<CompileFailure>(outcome)) {
            return {};
        }
        binary = std::get<Binary>(std::move(outcome));
    }
    Evaluation again;
    again.configuration = evaluation.configuration;
    if (const auto failure = Trial(task_, rig_, hooks_).time(*binary, again, best_ns)) {
        search_.refute(evaluation, *failure);
        refuse_lost_device(*failure, task_.info(), evaluation.configuration);
        return {};
    }
    return again.samples_ns;
}

/// Other processes only lengthen times, of one sample or of all samples in a row. So the default is
/// timed again, and its fastest sample counts, because the median may be too long.
Gain Tuning::gain_from_search(const Finalist& winner, Gain gain) {
    const auto& evaluations = search_.evaluations();
    const auto standard = std::find_if(
        evaluations.begin(), evaluations.end(),
        [&](const Evaluation& evaluation) { return evaluation.index == search_.seeds().front(); });
    if (standard == evaluations.end() || standard->verdict != Verdict::timed) {
        return gain;
    }
    std::vector<double> samples_ns = time_again(*standard, winner.summary.median_ns);
    if (samples_ns.empty()) {
        return gain;
    }
    samples_ns.insert(samples_ns.end(), standard->samples_ns.begin(), standard->samples_ns.end());
    const double speed_up = standard->median_ns / winner.summary.median_ns;
    const double unsure = relative_uncertainty(standard->samples_ns) + winner.uncertainty;
    const double fastest_ns = *std::min_element(samples_ns.begin(), samples_ns.end());
    const double low = std::min(standard->median_ns * (1 - unsure), fastest_ns);
    Conditions conditions = winner.conditions;
    conditions.shared |= standard->conditions.shared;
    if (standard->conditions.clocks == Clocks::noisy) {
        conditions.clocks = Clocks::noisy;
    }
    gain.default_ns = standard->median_ns;
    gain.certainty.conditions = conditions.text();
    gain.certainty.speed_up_low = std::max(0.0, low / winner.summary.median_ns);
    gain.certainty.speed_up_high = speed_up * (1 + unsure);
    return gain;
}

}  // namespace

TuneReport tune(const Task& task, const SearchPlan& plan, const TuneHooks& hooks,
                BinaryCache& binaries, const Log& log) {
    task.check();
    announce_data(task, hooks);
    return Tuning(task, plan, hooks, binaries, log).run();
}

}  // namespace jitune::internal
