// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuner.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "measure/statistics.hpp"
#include "support/thread_pool.hpp"
#include "tuning/finals/finals.hpp"
#include "tuning/measure/rig.hpp"
#include "tuning/measure/trial.hpp"
#include "tuning/record/record_maker.hpp"

namespace jitune::internal {

namespace {

/// So many rounds bound a ratio, and smaller differences do not matter between sizes.
constexpr FinalRule kShortRule{.max_rounds = kFewestRounds + kFewestRounds / 2, .tie = 0.01};

/// So many samples tell which configurations are close to the fastest: the finals time those again.
constexpr StoppingRule kQuickRule{.min_samples = 3, .max_samples = 3};

/// One comparison.
class Comparison {
public:
    Comparison(const Task& task, const std::vector<std::string>& compared, const SearchPlan& plan,
               const TuneHooks& hooks, BinaryCache& binaries, const Log& log)
        : task_(task),
          compared_(compared),
          plan_(plan),
          hooks_(hooks),
          binaries_(binaries),
          rig_(task.device, *task.kernel.workload, task.problem,
               task.kernel_template().front_matter().warm_cache, log, Rig::Checks::problem),
          record_maker_(task) {}

    TuneReport run() {
        learn_reference(task_, rig_, binaries_, hooks_);
        hooks_.observer->prepare("");
        choose();
        compile();
        for (const std::size_t index : order()) {
            if (!hooks_.stop->load()) {
                evaluate(evaluations_[index]);
            }
        }
        if (!plan_.brief && report_.progress.evaluated == evaluations_.size()) {
            const std::vector<Finalist> finalists = finals();
            if (!finalists.empty()) {
                report_.winner = winner(finalists);
            }
        }
        return std::move(report_);
    }

private:
    void choose();
    [[nodiscard]] bool has_failed(const std::string& configuration) const;
    [[nodiscard]] std::vector<std::size_t> order() const;
    void compile();
    void evaluate(Evaluation& one);
    std::vector<Finalist> finals();
    Winner winner(std::vector<Finalist> finalists) const;
    void record(const Evaluation& one, const std::vector<double>& samples_ns,
                const Conditions& conditions) {
        report_.measurements.push_back(record_maker_.measurement(one, samples_ns, conditions));
        hooks_.observer->measured(report_.measurements.back());
    }

    const Task& task_;
    const std::vector<std::string>& compared_;
    const SearchPlan& plan_;
    const TuneHooks& hooks_;
    BinaryCache& binaries_;
    Rig rig_;
    const RecordMaker record_maker_;
    std::vector<Evaluation> evaluations_;  ///< in the order of compared_
    std::size_t default_ = 0;              ///< the default among them; their number: none
    std::optional<double> best_ns_;
    TuneReport report_;
};

void Comparison::choose() {
    std::vector<std::string> texts = compared_;
    texts.push_back(task_.default_configuration().text());
    std::vector<std::string> announced;
    for (const std::string& text : texts) {
        Evaluation one;
        one.configuration = task_.parse(text);
        one.index = evaluations_.size();
        const bool is_new = std::find(announced.begin(), announced.end(), text) == announced.end();
        if (is_new && !has_failed(text) && task_.accepts(one.configuration)) {
            evaluations_.push_back(std::move(one));
            announced.push_back(text);
        }
    }
    const auto standard = std::find(announced.begin(), announced.end(), texts.back());
    default_ = static_cast<std::size_t>(standard - announced.begin());
    hooks_.observer->announce(announced);
    report_.progress.space = evaluations_.size();
}

/// True if an earlier worker ended while it tried the configuration, or found it wrong.
bool Comparison::has_failed(const std::string& configuration) const {
    return std::any_of(plan_.history.begin(), plan_.history.end(), [&](const Measurement& known) {
        return known.configuration == configuration && known.verdict != Verdict::timed;
    });
}

/// Suspects first: if one ends the process, no other has run in it. Then the default: the first one
/// says how many launches make a sample, and others may take a hundred times as long.
std::vector<std::size_t> Comparison::order() const {
    std::vector<std::size_t> order(evaluations_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (default_ < order.size()) {
        std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(default_),
                    order.begin() + static_cast<std::ptrdiff_t>(default_) + 1);
    }
    std::stable_partition(order.begin(), order.end(), [&](std::size_t index) {
        const auto& suspects = plan_.suspects;
        return std::find(suspects.begin(), suspects.end(),
                         evaluations_[index].configuration.text()) != suspects.end();
    });
    return order;
}

/// Compiles all at the same time; evaluate() then finds out which of them compile.
void Comparison::compile() {
    ThreadPool threads;
    threads.run(evaluations_.size(), [&](std::size_t i) {
        binaries_.alone(task_, task_.instance(evaluations_[i].configuration));
    });
}

void Comparison::evaluate(Evaluation& one) {
    hooks_.observer->begin(one.configuration.text(), TuneObserver::Phase::check);
    CompileOutcome outcome = binaries_.alone(task_, task_.instance(one.configuration));
    std::optional<TrialFailure> failure;
    if (const auto* refusal = std::get_if<CompileFailure>(&outcome)) {
        failure = TrialFailure{Verdict::compile_failed, refusal->log, false};
    } else {
        one.binary = std::get<Binary>(std::move(outcome));
        failure = Trial(task_, rig_, hooks_, kQuickRule).time(*one.binary, one, best_ns_);
    }
    ++report_.progress.evaluated;
    if (failure) {
        ++report_.progress.failed;
        one.verdict = failure->verdict;
        one.reason = failure->reason;
        one.samples_ns.clear();
    } else {
        one.median_ns = summarize(one.samples_ns).median_ns;
        best_ns_ = std::min(best_ns_.value_or(one.median_ns), one.median_ns);
    }
    record(one, one.samples_ns, one.conditions);
    hooks_.progress(report_.progress);
    if (failure) {
        refuse_lost_device(*failure, task_.info(), one.configuration);
    }
}

std::vector<Finalist> Comparison::finals() {
    const std::vector<std::size_t> seeds{default_, 0};
    std::vector<Finalist> finalists = run_finals(
        task_, rig_, choose_finalists(evaluations_, seeds), seeds,
        plan_.budget.count() > 0 ? std::optional(plan_.budget) : std::nullopt, hooks_,
        [&](const Evaluation& failed, const TrialFailure& failure) {
            Evaluation& one = evaluations_.at(failed.index);
            one.verdict = failure.verdict;
            one.reason = failure.reason;
            one.samples_ns.clear();
            record(one, {}, one.conditions);
        },
        kShortRule);
    for (const Finalist& finalist : finalists) {
        record(*finalist.evaluation, finalist.samples_ns, finalist.conditions);
    }
    return finalists;
}

Winner Comparison::winner(std::vector<Finalist> finalists) const {
    const auto first =
        std::find_if(finalists.begin(), finalists.end(),
                     [](const Finalist& finalist) { return finalist.evaluation->index == 0; });
    if (first != finalists.end()) {
        std::rotate(finalists.begin(), first, first + 1);
    }
    return record_maker_.winner(finalists, gain_in_rounds(finalists, default_),
                                *finalists.front().evaluation->binary, true);
}

}  // namespace

TuneReport compare(const Task& task, const std::vector<std::string>& compared,
                   const SearchPlan& plan, const TuneHooks& hooks, BinaryCache& binaries,
                   const Log& log) {
    task.check();
    announce_data(task, hooks);
    return Comparison(task, compared, plan, hooks, binaries, log).run();
}

}  // namespace jitune::internal
