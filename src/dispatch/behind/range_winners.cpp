// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/range_winners.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "range/size_grid.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuning/finals/finalist.hpp"

namespace jitune::internal {

namespace {

/// In several dimensions 1.02 is out of reach: see RangePlan::bound.
constexpr double kBoundOfShapes = 1.1;
/// So many are together within 0.3 % of the best of 65 on average, at 1933 shapes of rows (H200).
constexpr std::size_t kCodesOfShapes = 16;

/// A plan whose bound and number of binaries suit the dimensions of its domain.
RangePlan plan_for(const SizeBox& domain) {
    RangePlan plan;
    plan.domain = domain;
    if (dimensions_of(domain) > 1) {
        plan.bound = kBoundOfShapes;
        plan.limits.most_codes = kCodesOfShapes;
    }
    return plan;
}

/// The device of a task, to search and compare on.
class TaskBench : public RangeBench {
public:
    /// `brief`: many comparisons at many sizes are worth more than few exact ones.
    TaskBench(const Task& task, const RangeEffort& effort, const std::atomic<bool>& stop,
              SizeTuner& tuner, bool brief)
        : task_(task), effort_(effort), stop_(stop), tuner_(tuner), is_brief_(brief) {}

    std::vector<std::string> search(const Sizes& sizes,
                                    const std::vector<std::string>& hints) override;
    Comparison compare(const Sizes& sizes, const std::vector<std::string>& names) override;
    std::string code_of(const std::string& configuration) override {
        const Instance instance = task_.instance(task_.parse(configuration));
        return fmt::format("{} {}", instance.program(), fmt::join(instance.expressions, " "));
    }
    double spent() override {
        const auto limit =
            std::max<std::chrono::nanoseconds>(effort_.limit, std::chrono::milliseconds(1));
        return stop_ ? std::numeric_limits<double>::infinity()
                     : std::chrono::duration<double>(comparing_) / limit;
    }

    /// A winner for the range, with its code. A timing that was disturbed, or is too uncertain for
    /// a sure range, is made again.
    std::optional<Winner> winner_of(const ServedRange& range);

private:
    [[nodiscard]] Task at(const Sizes& sizes) const {
        Task task = task_;
        task.problem.sizes = sizes;
        return task;
    }
    /// `brief`: SearchPlan::brief.
    std::optional<TuneReport> compared(const Sizes& sizes, const std::vector<std::string>& names,
                                       bool brief);
    /// The measurements of a comparison that had all these configurations, or nullptr.
    [[nodiscard]] const std::vector<Measurement>* known(
        const Sizes& sizes, const std::vector<std::string>& names) const;

    const Task& task_;
    const RangeEffort& effort_;
    const std::atomic<bool>& stop_;
    SizeTuner& tuner_;
    const bool is_brief_;
    std::chrono::nanoseconds comparing_{0};
    std::set<std::string> vetted_;  ///< a search has run all check cases on them
};

std::vector<std::string> TaskBench::search(const Sizes& sizes,
                                           const std::vector<std::string>& hints) {
    constexpr double kWorthComparing = 1.02;
    constexpr std::size_t kMost = 3;
    SearchPlan plan = effort_.plan;
    plan.hints.insert(plan.hints.end(), hints.begin(), hints.end());
    std::optional<TuneReport> report;
    try {
        report = tuner_.search(at(sizes), plan);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable || hints.empty()) {
            throw;
        }
        return {};  // too large for this device, unlike smaller ones
    }
    std::vector<std::pair<double, std::string>> finalists;
    bool disturbed = false;  // such times leave none out
    for (const Measurement& one : report->measurements) {
        if (is_of_finals(one) && one.verdict == Verdict::timed) {
            finalists.emplace_back(summarize(one.samples_ns).median_ns, one.configuration);
            disturbed = disturbed || was_disturbed(one);
        }
    }
    for (const Measurement& one : report->measurements) {
        if (one.verdict == Verdict::timed) {
            vetted_.insert(one.configuration);
        }
    }
    std::sort(finalists.begin(), finalists.end());
    std::vector<std::string> found{report->winner.configuration};
    for (const auto& [ns, configuration] : finalists) {
        const bool is_worth = disturbed || ns <= kWorthComparing * finalists.front().first;
        if (is_worth && found.size() < kMost && configuration != found.front()) {
            found.push_back(configuration);
        }
    }
    return found;
}

std::optional<TuneReport> TaskBench::compared(const Sizes& sizes,
                                              const std::vector<std::string>& names, bool brief) {
    SearchPlan plan = effort_.plan;
    plan.brief = brief;
    plan.budget = std::chrono::milliseconds(0);
    const auto begin = effort_.time->now();
    std::optional<TuneReport> report;
    try {
        report = tuner_.compare(at(sizes), names, plan);
    } catch (const Error& error) {
        const ErrorKind kind = error.kind();  // some sizes fit no memory, or are not allowed
        if (kind != ErrorKind::unavailable && kind != ErrorKind::usage) {
            throw;
        }
    }
    comparing_ += effort_.time->now() - begin;
    return report;
}

const std::vector<Measurement>* TaskBench::known(const Sizes& sizes,
                                                 const std::vector<std::string>& names) const {
    const auto found = effort_.known.find(sizes);
    const auto has = [&](const std::string& name) {
        return std::any_of(found->second.begin(), found->second.end(),
                           [&](const Measurement& one) { return one.configuration == name; });
    };
    return found != effort_.known.end() && std::all_of(names.begin(), names.end(), has)
               ? &found->second
               : nullptr;
}

Comparison TaskBench::compare(const Sizes& sizes, const std::vector<std::string>& names) {
    const std::string standard = at(sizes).default_configuration().text();
    std::vector<std::string> needed = names;
    needed.push_back(standard);
    Comparison comparison;
    if (const auto* const rows = known(sizes, needed)) {
        comparison = comparison_of(*rows, standard);
    } else if (const auto report = compared(sizes, names, is_brief_)) {
        comparison = comparison_of(report->measurements, standard);
    }
    // Perhaps the default, of which only the problem itself was checked.
    std::erase_if(comparison.timings,
                  [&](const auto& timing) { return !vetted_.contains(timing.first); });
    return comparison;
}

std::optional<Winner> TaskBench::winner_of(const ServedRange& range) {
    constexpr int kMost = 3;
    const bool by_default = range.configuration == kDefault;
    const std::string configuration =
        by_default ? at(range.sizes).default_configuration().text() : range.configuration;
    auto report = compared(range.sizes, {configuration}, false);
    for (int i = 1;
         i < kMost && report && !range.unsure && !stop_ && is_provisional(report->winner.certainty);
         ++i) {
        report = compared(range.sizes, {configuration}, false);
    }
    if (!report || report->winner.configuration != configuration) {
        return std::nullopt;
    }
    Winner winner = std::move(report->winner);
    winner.range = {coverage_text(range.boxes, task_.kernel_template().front_matter().sizes),
                    range.loss_bound, range.held_out, range.unsure, by_default};
    return winner;
}

}  // namespace

bool is_of_other_default(const Task& task, const Winner& winner) {
    if (!winner.range.by_default) {
        return false;
    }
    const auto sizes = exact_sizes(winner.sizes);
    if (!sizes || sizes->size() != task.problem.sizes.size()) {  // another program has written it
        return true;
    }
    Task there = task;
    there.problem.sizes = *sizes;
    return there.default_configuration().text() != winner.configuration;
}

RangePlan whole_range(const std::string& kernel, const SizeBox& domain, std::uint64_t seed) {
    // More elements than this take seconds to compare.
    constexpr std::int64_t kMostElements = std::int64_t{1} << 33;
    RangePlan plan = plan_for(domain);
    plan.seed = seed;
    plan.first_tests = 2;
    plan.more_searches = 4;
    plan.most_probes = 4000;  // also those of earlier sweeps, which cost no time
    if (domain.from.size() == 1 && domain.from[0] <= kMostElements) {
        plan.domain.to[0] = std::min(domain.to[0], kMostElements);
    }
    plan.anchors = anchors_of(plan.domain, domain.from.size() == 1 ? 1 : 2);
    const auto is_small_enough = [kernel](const Sizes& sizes) {
        return elements_of(kernel, sizes) <= static_cast<double>(kMostElements);
    };
    if (is_small_enough(domain.from)) {
        plan.may_compare = is_small_enough;
        std::erase_if(plan.anchors, std::not_fn(is_small_enough));
    }
    return plan;
}

RangePlan range_around(const Sizes& sizes, const SizeBox& domain, std::uint64_t seed) {
    RangePlan plan = plan_for(domain);
    plan.anchors = {sizes};
    plan.grid_between = 1;
    plan.held_out = 5;
    plan.rounds = 2;
    plan.polish = 0;
    plan.most_probes = 24;
    plan.seed = seed;
    return plan;
}

std::vector<Winner> range_winners(const Task& task, RangePlan range, const RangeEffort& effort,
                                  const std::atomic<bool>& stop, SizeTuner& tuner) {
    range.multiples = task.problem.multiples;
    TaskBench bench(task, effort, stop, tuner, dimensions_of(range.domain) > 1);
    std::vector<Winner> winners;
    std::vector<Winner> slower;  // slower than the default, which serves in their place
    for (const ServedRange& served : search_range(bench, range)) {
        if (auto winner = stop ? std::nullopt : bench.winner_of(served)) {
            const bool is_known_slower =
                may_be_slower(*winner) && !is_provisional(winner->certainty);
            (is_known_slower ? slower : winners).push_back(std::move(*winner));
        }
    }
    if (stop) {  // what was timed is stored, and the next search goes on with it
        return {};
    }
    if (winners.empty()) {
        winners = std::move(slower);
    }
    if (winners.empty()) {
        throw Error(ErrorKind::verify,
                    fmt::format("{}: every configuration that a search had found failed when it "
                                "was timed for the last time; tune again",
                                task.name()));
    }
    return winners;
}

}  // namespace jitune::internal
