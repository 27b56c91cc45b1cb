// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tune_objective.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "cli/app/output.hpp"
#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "measure/timing_rules.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/finals/finalist_study.hpp"
#include "tuning/record/record_maker.hpp"
#include "tuning/search/candidate_set.hpp"

namespace jitune::internal {

namespace {

using Times = std::map<std::string, const Measurement*>;

/// True if the search measures the configuration in spite of its restrictions.
bool is_seed(const Task& task, const TuneReport& report, const std::string& configuration) {
    return configuration == report.incumbent ||
           configuration == task.default_configuration().text();
}

/// The time of each configuration that the search may choose, and of its seeds: of the finals
/// if it was in them, else of the search.
Times times_of(const Task& task, const SearchPlan& plan, const TuneReport& report) {
    const SearchSpace space = task.space();
    const CandidateSet candidates(space, plan.only);
    Times times;
    for (const auto* measurements : {&report.history, &report.measurements}) {
        for (const Measurement& one : *measurements) {
            const Measurement*& known = times[one.configuration];
            // The latest measurement counts: a candidate may be found wrong after the finals.
            if (known == nullptr || is_of_finals(one) || !is_of_finals(*known) ||
                one.verdict != Verdict::timed) {
                known = &one;
            }
        }
    }
    std::erase_if(times, [&](const auto& one) {
        const std::size_t index = candidates.find_in_space(one.first);
        const bool is_candidate = index < space.size() && candidates.holds(index);
        return one.second->verdict != Verdict::timed ||
               (!is_candidate && !is_seed(task, report, one.first));
    });
    return times;
}

/// The finalists, the fastest first, with the seeds, however slow they are.
std::vector<FinalistFigures> finalists_of(const Task& task, const TuneReport& report,
                                          const Times& times, std::size_t count) {
    std::vector<FinalistFigures> all;
    for (const auto& [configuration, measurement] : times) {
        all.push_back({configuration,
                       measurement->samples_ns,
                       {},
                       {},
                       Conditions::parse(measurement->conditions),
                       summarize(measurement->samples_ns).median_ns});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    std::vector<FinalistFigures> chosen;
    for (const FinalistFigures& one : all) {
        if (chosen.size() < count || is_seed(task, report, one.configuration)) {
            chosen.push_back(one);
        }
    }
    return chosen;
}

/// Measures what the wishes need; without such wishes, takes the figures of the tuning alone.
StudyResult studied(const FinalistWishes& wishes, Engine& engine, const Task& task,
                    const TuneHooks& hooks, const std::vector<FinalistFigures>& finalists,
                    BinaryCache& binaries) {
    StudyPlan plan;
    plan.energy = wishes.objective.needs_energy(task);
    plan.counters = wishes.counters;
    if (!plan.energy && !plan.counters) {
        StudyResult result;
        result.finalists = finalists;
        return result;
    }
    if (plan.energy && !wishes.quiet) {
        const auto seconds = [&](std::size_t windows) {
            return std::chrono::duration<double>(plan.warm_up + plan.window).count() *
                   static_cast<double>(windows * finalists.size());
        };
        print(fmt::format("measuring the energy of {} configurations, for {:.0f} to {:.0f} s\n",
                          finalists.size(), seconds(plan.fewest_windows),
                          seconds(plan.most_windows)));
    }
    return study_finalists(task, finalists, plan, hooks, binaries, engine.log());
}

ObjectiveResult judge(const Objective& objective, const Task& task,
                      std::vector<FinalistFigures> figures) {
    ObjectiveResult result;
    result.objective = objective;
    std::vector<Judged> judged;
    for (FinalistFigures& one : figures) {
        judged.push_back({one.configuration, one.time_ns, objective.cost(task, one)});
        auto metrics = finalist_metrics(task, one);
        result.rows.push_back({judged.back(), std::move(one), std::move(metrics), false});
    }
    result.chosen = best_of(judged);
    const std::vector<bool> front = pareto_front(judged);
    for (std::size_t i = 0; i < front.size(); ++i) {
        result.rows[i].is_best_compromise = front[i];
    }
    return result;
}

/// The winner that the tuning would have made of this configuration.
Winner winner_of(const Task& task, const Times& times, const std::string& configuration,
                 bool complete, BinaryCache& binaries) {
    Evaluation evaluation;
    evaluation.configuration = task.parse(configuration);
    const Measurement& measured = *times.at(configuration);
    Finalist finalist;
    finalist.evaluation = &evaluation;
    finalist.samples_ns = measured.samples_ns;
    finalist.summary = summarize(measured.samples_ns);
    finalist.uncertainty = relative_uncertainty(measured.samples_ns);
    Gain gain{0, {measured.conditions, finalist.uncertainty, 0, 0}};
    if (const auto standard = times.find(task.default_configuration().text());
        standard != times.end()) {
        gain.default_ns = summarize(standard->second->samples_ns).median_ns;
        if (is_of_finals(*standard->second) && is_of_finals(measured)) {  // taken in pairs
            const Interval ratio = ratio_of(standard->second->samples_ns, measured.samples_ns);
            gain.certainty.speed_up_low = ratio.low;
            gain.certainty.speed_up_high = ratio.high;
        }
    }
    const CompileOutcome outcome = binaries.alone(task, task.instance(evaluation.configuration));
    const auto* binary = std::get_if<Binary>(&outcome);
    if (binary == nullptr) {
        throw Error(ErrorKind::compile,
                    fmt::format("{} does not compile any more: {}", configuration,
                                std::get<CompileFailure>(outcome).log));
    }
    return RecordMaker(task).winner({finalist}, gain, *binary, complete);
}

/// Changing clocks are no reason to refuse a choice: windows at full power change them.
bool others_disturbed(const Conditions& conditions) {
    return conditions.contended || conditions.shared;
}

std::vector<Measurement> records_of(const Task& task,
                                    const std::vector<FinalistFigures>& finalists) {
    const RecordMaker maker(task);
    std::vector<Measurement> records;
    for (const FinalistFigures& figures : finalists) {
        if (!figures.text().empty()) {
            Evaluation evaluation;
            evaluation.configuration = task.parse(figures.configuration);
            records.push_back(maker.measurement(evaluation, figures.launch_ns, figures.conditions));
            records.back().figures = figures.text();
        }
    }
    return records;
}

}  // namespace

std::optional<ObjectiveResult> study_tuned(const FinalistWishes& wishes, Engine& engine,
                                           const Task& task, const SearchPlan& plan,
                                           const TuneHooks& hooks, TuneReport& report) {
    const Times times = times_of(task, plan, report);
    const auto finalists = finalists_of(task, report, times, wishes.count);
    BinaryCache binaries;
    StudyResult study = studied(wishes, engine, task, hooks, finalists, binaries);
    engine.tuner().save(records_of(task, study.finalists));
    if (study.stopped || study.finalists.empty()) {
        return std::nullopt;
    }
    ObjectiveResult result = judge(wishes.objective, task, std::move(study.finalists));
    result.no_counters = std::move(study.no_counters);
    if (wishes.objective.kind == Objective::Kind::time) {
        return result;
    }
    const std::string& chosen = result.rows[result.chosen].judged.configuration;
    Winner choice = report.winner;
    if (chosen != choice.configuration) {
        choice = winner_of(task, times, chosen, choice.complete, binaries);
    }
    result.disturbed = others_disturbed(Conditions::parse(choice.certainty.conditions)) ||
                       others_disturbed(result.rows[result.chosen].figures.conditions);
    if (!result.disturbed) {
        result.pinned = engine.tuner().save_choice(task, wishes.objective.name, choice);
        report.winner = std::move(choice);
        report.kept = report.winner.pinned && !result.pinned;
        report.stored = result.pinned || report.kept;
    }
    return result;
}

}  // namespace jitune::internal
