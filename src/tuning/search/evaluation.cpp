// SPDX-License-Identifier: Apache-2.0
#include "tuning/search/evaluation.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "measure/statistics.hpp"

namespace jitune::internal {

const Evaluation& Evaluations::add(Evaluation evaluation) {
    ++progress_.evaluated;
    if (evaluation.verdict == Verdict::timed) {
        evaluation.median_ns = summarize(evaluation.samples_ns).median_ns;
        if (!progress_.best_ns || evaluation.median_ns < *progress_.best_ns) {
            progress_.best_ns = evaluation.median_ns;
        }
    } else {
        ++progress_.failed;
    }
    number_of_[evaluation.index] = all_.size();
    all_.push_back(std::move(evaluation));
    update_incumbent(all_.back());
    return all_.back();
}

const Evaluation& Evaluations::refute(std::size_t index, Verdict verdict, std::string reason,
                                      Conditions conditions) {
    Evaluation& refuted = all_[number_of_.at(index)];
    refuted.verdict = verdict;
    refuted.reason = std::move(reason);
    refuted.samples_ns.clear();
    refuted.conditions = std::move(conditions);
    ++progress_.failed;
    find_best();
    return refuted;
}

void Evaluations::keep_binary(std::size_t index, Binary binary) {
    all_[number_of_.at(index)].binary = std::move(binary);
}

double Evaluations::default_ns() const {
    return hold(standard_) ? of(standard_).median_ns : 0;
}

/// Only what this search has compiled can be the incumbent: an earlier time without code cannot be
/// kept if the search ends now.
void Evaluations::update_incumbent(const Evaluation& evaluation) {
    std::optional<TuneProgress::Incumbent>& best = progress_.incumbent;
    if (evaluation.verdict != Verdict::timed || !evaluation.binary ||
        (best && best->ns <= evaluation.median_ns)) {
        return;
    }
    best = {evaluation.configuration.text(), evaluation.median_ns, default_ns(),
            *evaluation.binary};
}

void Evaluations::find_best() {
    std::optional<double>& best_ns = progress_.best_ns;
    best_ns.reset();
    progress_.incumbent.reset();
    for (const Evaluation& one : all_) {
        if (one.verdict == Verdict::timed) {
            best_ns = std::min(best_ns.value_or(one.median_ns), one.median_ns);
        }
        update_incumbent(one);
    }
}

void throw_no_winner(const Task& task, const std::vector<Evaluation>& evaluations) {
    const std::string tried =
        fmt::format("tuning {} on {}", task.kernel_template().source().name, task.info().id);
    if (evaluations.empty()) {
        throw Error(ErrorKind::unavailable,
                    tried +
                        ": the time was over, or the worker ended, before a candidate was "
                        "tried; try again, with a longer budget if this comes again");
    }
    std::map<std::string, int> counts;
    std::string example;
    bool ran = false;
    for (const Evaluation& evaluation : evaluations) {
        ++counts[to_string(evaluation.verdict)];
        ran = ran || (evaluation.verdict != Verdict::compile_failed && !evaluation.unloadable);
        if (example.empty() && !evaluation.reason.empty()) {
            example = evaluation.configuration.text() + ": " + evaluation.reason;
        }
    }
    std::string summary;
    for (const auto& [verdict, count] : counts) {
        summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, verdict);
    }
    throw Error(
        ran ? ErrorKind::verify : ErrorKind::compile,
        fmt::format("{}: no configuration works ({}). For example {}", tried, summary, example));
}

}  // namespace jitune::internal
