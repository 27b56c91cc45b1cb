// SPDX-License-Identifier: Apache-2.0
#include "tuning/search/search.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/search/tuning_history.hpp"

namespace jitune::internal {

namespace {

constexpr int kUsualRate = 100;  // candidates per second on an ordinary machine
constexpr LoopClock::Time kUsualTurn = std::chrono::seconds(1) / kUsualRate;

bool is_among(const std::vector<std::size_t>& indexes, std::size_t index) {
    return std::find(indexes.begin(), indexes.end(), index) != indexes.end();
}

}  // namespace

Search::Search(const Task& task, const SearchSpace& space, BinaryCache& binaries,
               const SearchPlan& plan, const TuneHooks& hooks, const Log& log)
    : task_(task),
      space_(space),
      candidates_(space, plan.only),
      binaries_(binaries),
      plan_(plan),
      hooks_(hooks),
      log_(log),
      time_(kUsualTurn, *hooks.time),
      new_rest_(hooks.rested),
      ahead_(std::in_place, task, binaries, plan.compile_threads, *hooks.observer) {
    find_seeds();
    progress_.space =
        candidates_.part().size() +
        static_cast<std::size_t>(std::count_if(seeds_.begin(), seeds_.end(), [&](std::size_t seed) {
            return !candidates_.holds(seed);
        }));
    learn_history();
    known_ = evaluations_.size();
    strategy_ = make_strategy(plan.strategy, candidates_.part(), plan.seed,
                              plan.expected_evaluations(kUsualRate));
    for (const Evaluation& known : evaluations_) {
        tell_strategy(known);
    }
    submit_first();
}

void Search::find_seeds() {
    seeds_ = {space_.find(task_.default_configuration(space_))};
    const std::size_t incumbent = candidates_.find_in_space(plan_.incumbent);
    if (incumbent < space_.size() && incumbent != seeds_.front()) {
        seeds_.push_back(incumbent);
    }
    const std::vector<std::size_t> suspects = find_all(plan_.suspects);
    for (const std::size_t wanted : find_all(plan_.first)) {
        if (!is_among(seeds_, wanted) && !is_among(suspects, wanted)) {
            first_.push_back(wanted);
        }
    }
}

void Search::learn_history() {
    for (const Measurement& known : plan_.history) {
        Evaluation evaluation;
        evaluation.index = find(known.configuration);
        if (evaluation.index == space_.size() || place_of_.contains(evaluation.index)) {
            continue;  // pruned for these sizes, left out, or recorded twice
        }
        // Its times guide the strategy. Its code is compiled only if it comes into the finals.
        evaluation.configuration = space_.at(evaluation.index);
        evaluation.verdict = known.verdict;
        evaluation.reason = known.reason;
        evaluation.samples_ns = known.samples_ns;
        evaluation.by_earlier_search = true;
        evaluation.conditions = Conditions::parse(known.conditions);
        add(std::move(evaluation));
    }
}

void Search::add(Evaluation evaluation) {
    ++progress_.evaluated;
    if (evaluation.verdict == Verdict::timed) {
        evaluation.median_ns = summarize(evaluation.samples_ns).median_ns;
        if (!progress_.best_ns || evaluation.median_ns < *progress_.best_ns) {
            progress_.best_ns = evaluation.median_ns;
        }
    } else {
        ++progress_.failed;
    }
    place_of_[evaluation.index] = evaluations_.size();
    evaluations_.push_back(std::move(evaluation));
}

void Search::submit(const std::vector<std::size_t>& indexes) {
    std::vector<CompileAhead::Wanted> wanted;
    std::vector<std::string> texts;
    for (const std::size_t index : indexes) {
        if (index < space_.size() && !place_of_.contains(index) &&
            submitted_.insert(index).second) {
            wanted.push_back({index, space_.at(index)});
            texts.push_back(wanted.back().configuration.text());
        }
    }
    // Before any of them is compiled: from then on each may end the process.
    if (!texts.empty()) {
        hooks_.observer->announce(texts);
    }
    ahead_->submit(std::move(wanted));
}

std::vector<std::size_t> Search::find_all(const std::vector<std::string>& configurations) const {
    std::vector<std::size_t> indexes;
    for (const std::string& configuration : configurations) {
        indexes.push_back(find(configuration));
    }
    return indexes;
}

/// Candidates that need no time of another: compilers work on them while the rig is set up.
void Search::submit_first() {
    const std::vector<std::size_t> suspects = find_all(plan_.suspects);
    for (const std::size_t seed : seeds_) {
        if (!is_among(suspects, seed)) {
            submit({seed});
        }
    }
    // With suspects, all others must wait: if a suspect ends the process, nothing else may have
    // been under way that could be blamed for it.
    if (suspects.empty()) {
        submit(first_);
    }
    if (suspects.empty() && !is_spent()) {
        submit(find_all(plan_.hints));
        refill(ahead_->depth_after(0));
    }
}

void Search::evaluate_first() {
    for (const std::size_t seed : seeds_) {
        if (submitted_.contains(seed)) {
            evaluate(ahead_->take(seed));
        }
    }
    if (!plan_.suspects.empty()) {
        evaluate_alone(find_all(plan_.suspects));
        submit(first_);
        submit(find_all(plan_.hints));
    }
    for (const std::size_t wanted : first_) {
        if (submitted_.contains(wanted) && !place_of_.contains(wanted) && !is_over()) {
            evaluate(ahead_->take(wanted));
        }
    }
}

void Search::evaluate_alone(const std::vector<std::size_t>& suspects) {
    for (const std::size_t suspect : suspects) {
        if (is_spent() || is_over()) {
            break;
        }
        // Suspects hang or crash, each at the cost of a worker and seconds. They may take half of
        // the budget; those left over wait for a later search, so that this one tries others, too.
        if (plan_.budget.count() > 0 && plan_.spent + time_.lasted() >= plan_.budget / 2) {
            postponed_ |= suspect < space_.size() && submitted_.insert(suspect).second;
            continue;
        }
        submit({suspect});
        if (ahead_->pending() > 0) {
            evaluate(ahead_->next());
        }
    }
}

std::size_t Search::find(const std::string& configuration) const {
    const std::size_t index = candidates_.find_in_space(configuration);
    const bool is_candidate =
        index < space_.size() && (candidates_.holds(index) || is_among(seeds_, index));
    return is_candidate ? index : space_.size();
}

void Search::tell_strategy(const Evaluation& evaluation) {
    const std::size_t place = candidates_.in_part(evaluation.index);
    if (place < candidates_.part().size()) {
        strategy_->tell(place, evaluation.verdict == Verdict::timed
                                   ? std::optional(evaluation.median_ns)
                                   : std::nullopt);
    }
}

void Search::run(Rig& rig, LoopClock::Time setup,
                 const std::function<void(const Evaluation&)>& record) {
    rig_ = &rig;
    setup_ = setup;
    trial_.emplace(task_, rig, hooks_);
    record_ = record;
    // The budget begins here: setting up the rig is no part of it, but of a limit.
    time_ = LoopClock(kUsualTurn, *hooks_.time);
    const bool had_time = !is_spent();  // another worker may have spent it
    evaluate_first();
    while (!is_spent() && !is_over()) {
        // Many at a time, because each announcement waits for the disk.
        if (const std::size_t wished = depth(); ahead_->pending() <= wished / 2) {
            refill(wished);
        }
        if (ahead_->pending() == 0) {
            complete_ = candidates_.is_whole() && !postponed_ && !lacked_something();
            break;
        }
        evaluate_next();
    }
    if (had_time) {
        evaluate_under_way();
    }
    ahead_.reset();  // no compiler may run beside the finals
}

/// How many candidates should be pending.
std::size_t Search::depth() const {
    const std::size_t known = tries_nearly_all() ? progress_.space : evaluations_.size();
    return strategy_->learns() ? ahead_->depth_after(known) : ahead_->depth();
}

/// At the rate so far. The order is then of no use, and long queues are faster.
bool Search::tries_nearly_all() const {
    const std::size_t tried = evaluations_.size() - known_;
    const double seconds = std::chrono::duration<double>(time_.lasted()).count();
    if (tried < ahead_->depth_after(0) || seconds == 0 || plan_.has_target()) {
        return false;
    }
    const auto expected = plan_.expected_evaluations(static_cast<double>(tried) / seconds);
    return 4 * expected >= 3 * (progress_.space - known_);
}

/// Waits for a candidate, for so long that the caller sees soon whether the search is over.
void Search::evaluate_next() {
    constexpr std::chrono::milliseconds kLook{100};
    if (std::optional<CompiledCandidate> candidate = ahead_->next_within(kLook)) {
        evaluate(*std::move(candidate));
    } else {
        time_.turn();
    }
}

/// What compilers deliver while they end is tried, for a quarter of the budget at most.
void Search::evaluate_under_way() {
    const auto end = plan_.limit.count() > 0 ? plan_.late_end() - setup_
                                             : time_.lasted() + LoopClock::Time(plan_.budget) / 4;
    ahead_->drop_waiting();
    while (!is_over() && time_.lasted() < end && ahead_->has_late()) {
        evaluate_next();
    }
}

void Search::refill(std::size_t wished) {
    if (plan_.max_evaluations > 0) {  // no compile without an evaluation
        wished = std::min(
            wished, plan_.max_evaluations - std::min(plan_.max_evaluations, evaluations_.size()));
    }
    while (asking_ && ahead_->pending() < wished) {
        std::vector<std::size_t> asked = strategy_->ask(wished - ahead_->pending());
        asking_ = !asked.empty();
        for (std::size_t& one : asked) {
            one = candidates_.in_space(one);
        }
        submit(asked);
    }
}

// Only those that would be finalists: to check all of the history would be a search of its own.
void Search::check_known() {
    bool one_failed = false;
    for (const Evaluation* finalist : choose_finalists(evaluations_, seeds_)) {
        if (finalist->binary) {
            continue;
        }
        Evaluation& known = evaluations_[place_of_.at(finalist->index)];
        if (const auto failure = compile_and_check(known)) {
            refute(known, *failure);
            refuse_lost_device(*failure, task_.info(), known.configuration);
            one_failed = true;
        }
    }
    if (one_failed) {  // another candidate, perhaps unchecked, takes its place among the finalists
        check_known();
    }
}

bool Search::lacked_something() const {
    return std::any_of(evaluations_.begin(), evaluations_.end(), [](const Evaluation& one) {
        return lacked_resources(one.verdict, one.reason);
    });
}

void Search::log_failure(const Evaluation& evaluation) const {
    log_.info("{} {}: {}: {}", task_.kernel_template().source().name,
              evaluation.configuration.text(), to_string(evaluation.verdict), evaluation.reason);
}

void Search::refute(const Evaluation& evaluation, const TrialFailure& failure) {
    Evaluation& refuted = evaluations_[place_of_.at(evaluation.index)];
    refuted.verdict = failure.verdict;
    refuted.reason = failure.reason;
    refuted.samples_ns.clear();
    refuted.conditions = rig_->conditions();
    ++progress_.failed;
    find_best();
    log_failure(refuted);
    record_(refuted);
}

void Search::note_incumbent(const Evaluation& evaluation) {
    std::optional<TuneProgress::Incumbent>& best = progress_.incumbent;
    if (evaluation.verdict != Verdict::timed || !evaluation.binary ||
        (best && best->ns <= evaluation.median_ns)) {
        return;
    }
    const auto standard = place_of_.find(seeds_.front());
    best = {evaluation.configuration.text(), evaluation.median_ns,
            standard == place_of_.end() ? 0 : evaluations_[standard->second].median_ns,
            *evaluation.binary};
}

void Search::find_best() {
    std::optional<double>& best_ns = progress_.best_ns;
    best_ns.reset();
    progress_.incumbent.reset();
    for (const Evaluation& one : evaluations_) {
        if (one.verdict == Verdict::timed) {
            best_ns = std::min(best_ns.value_or(one.median_ns), one.median_ns);
        }
        note_incumbent(one);
    }
}

std::optional<TrialFailure> Search::compile_and_check(Evaluation& known) {
    CompileOutcome outcome = binaries_.compile(task_, task_.instance(known.configuration));
    if (const auto* refusal = std::get_if<CompileFailure>(&outcome)) {
        return TrialFailure{Verdict::compile_failed, refusal->log, false};
    }
    if (auto failure = trial_->check(std::get<Binary>(outcome), known.configuration)) {
        return failure;
    }
    known.binary = std::get<Binary>(std::move(outcome));
    return std::nullopt;
}

bool Search::is_over() const {
    return (plan_.max_evaluations > 0 && evaluations_.size() >= plan_.max_evaluations) ||
           hooks_.stop->load() || on_target();
}

bool Search::is_spent() const {
    return (plan_.budget.count() > 0 && plan_.spent + time_.lasted() >= plan_.budget) ||
           (plan_.limit.count() > 0 && setup_ + time_.lasted() >= plan_.search_end());
}

bool Search::on_target() const {
    if (!progress_.best_ns) {
        return false;
    }
    const auto standard = place_of_.find(seeds_.front());
    const double default_ns =
        standard == place_of_.end() ? 0 : evaluations_[standard->second].median_ns;
    // A default that failed has no time, so that no speed-up over it is known or reached.
    const double best_ns = *progress_.best_ns;
    const double factor = plan_.target_speed_up;
    return best_ns <= plan_.target_ns || (factor > 0 && best_ns * factor <= default_ns);
}

/// On the host, compilers would take processors from the candidate: they wait meanwhile.
std::optional<TrialFailure> Search::time(const Binary& binary, Evaluation& evaluation) {
    if (task_.info().platform != PlatformKind::cuda) {
        ahead_->pause();
    }
    auto failure = trial_->time(binary, evaluation, progress_.best_ns);
    time_.leave_out(new_rest_());
    return failure;
}

void Search::evaluate(CompiledCandidate candidate) {
    Evaluation evaluation;
    evaluation.index = candidate.index;
    evaluation.configuration = std::move(candidate.configuration);
    std::optional<TrialFailure> failed;
    if (const auto* failure = std::get_if<CompileFailure>(&candidate.outcome)) {
        evaluation.verdict = Verdict::compile_failed;
        evaluation.reason = failure->log;
    } else if (failed = time(std::get<Binary>(candidate.outcome), evaluation); failed) {
        evaluation.verdict = failed->verdict;
        evaluation.reason = failed->reason;
        evaluation.samples_ns.clear();
    }
    if (!evaluation.conditions.clocks) {  // no samples were taken
        evaluation.conditions = rig_->conditions();
    }
    if (evaluation.verdict == Verdict::timed) {
        evaluation.binary = std::get<Binary>(std::move(candidate.outcome));
    } else {
        log_failure(evaluation);
    }
    time_.turn();
    // Recorded before the search gives up on a lost device: the verdict keeps this candidate from
    // being run again.
    add(std::move(evaluation));
    record_(evaluations_.back());
    note_incumbent(evaluations_.back());
    tell_strategy(evaluations_.back());
    if (failed) {
        refuse_lost_device(*failed, task_.info(), evaluations_.back().configuration);
    }
    hooks_.progress(progress_);
}

}  // namespace jitune::internal
