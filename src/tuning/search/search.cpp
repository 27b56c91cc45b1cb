// SPDX-License-Identifier: Apache-2.0
#include "tuning/search/search.hpp"

#include <algorithm>
#include <utility>

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
      active_(hooks),
      time_(kUsualTurn, active_),
      tried_(space.find(task.default_configuration(space))),
      ahead_(std::in_place, task, binaries, plan.compile_threads, *hooks.observer) {
    find_seeds();
    const auto beside_part = std::count_if(
        seeds_.begin(), seeds_.end(), [&](std::size_t seed) { return !candidates_.holds(seed); });
    tried_.set_space(candidates_.part().size() + static_cast<std::size_t>(beside_part));
    learn_history();
    known_ = tried_.all().size();
    strategy_ = make_strategy(plan.strategy, candidates_.part(), plan.seed,
                              plan.expected_evaluations(kUsualRate));
    for (const Evaluation& known : tried_.all()) {
        tell_strategy(known);
    }
    submit_first();
}

void Search::find_seeds() {
    seeds_ = {tried_.standard()};
    const std::size_t incumbent = candidates_.find_in_space(plan_.incumbent);
    if (incumbent < space_.size() && incumbent != seeds_.front()) {
        seeds_.push_back(incumbent);
    }
    hints_ = plan_.hints;
    for (const Configuration& one :
         task_.kernel_template().rule_configurations(task_.problem, task_.info())) {
        hints_.push_back(one.text());
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
        if (evaluation.index == space_.size() || tried_.hold(evaluation.index)) {
            continue;  // pruned for these sizes, left out, or recorded twice
        }
        // Its times guide the strategy. Its code is compiled only if it comes into the finals.
        evaluation.configuration = space_.at(evaluation.index);
        evaluation.verdict = known.verdict;
        evaluation.reason = known.reason;
        evaluation.samples_ns = known.samples_ns;
        evaluation.by_earlier_search = true;
        evaluation.conditions = Conditions::parse(known.conditions);
        tried_.add(std::move(evaluation));
    }
}

void Search::submit(const std::vector<std::size_t>& indexes) {
    std::vector<CompileAhead::Wanted> wanted;
    std::vector<std::string> texts;
    for (const std::size_t index : indexes) {
        if (index < space_.size() && !tried_.hold(index) && submitted_.insert(index).second) {
            wanted.push_back({index, space_.at(index)});
            texts.push_back(wanted.back().configuration.text());
        }
    }
    // Announce candidates before any of them is compiled: from then on each may end the process.
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
        submit(find_all(hints_));
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
        submit(find_all(hints_));
    }
    for (const std::size_t wanted : first_) {
        if (submitted_.contains(wanted) && !tried_.hold(wanted) && !is_over()) {
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
    const std::size_t index = candidates_.in_part(evaluation.index);
    if (index < candidates_.part().size()) {
        strategy_->tell(index, evaluation.verdict == Verdict::timed
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
    time_ = LoopClock(kUsualTurn, active_);
    const bool had_time = !is_spent();  // another worker may have spent it
    evaluate_first();
    while (!is_spent() && !is_over()) {
        // Submit many at a time, because each announcement waits for the disk.
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
    const std::size_t known = tries_nearly_all() ? tried_.progress().space : tried_.all().size();
    return strategy_->learns() ? ahead_->depth_after(known) : ahead_->depth();
}

/// True if the budget suffices for nearly all candidates, at the rate so far. Then their order is
/// of no use, and long queues are faster.
bool Search::tries_nearly_all() const {
    const std::size_t tried = tried_.all().size() - known_;
    const double seconds = std::chrono::duration<double>(time_.lasted()).count();
    if (tried < ahead_->depth_after(0) || seconds == 0 || plan_.has_target()) {
        return false;
    }
    const auto expected = plan_.expected_evaluations(static_cast<double>(tried) / seconds);
    return 4 * expected >= 3 * (tried_.progress().space - known_);
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

/// Tries what compilers deliver while they end, for at most a quarter of the budget.
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
            wished, plan_.max_evaluations - std::min(plan_.max_evaluations, tried_.all().size()));
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

// Checks only those that would be finalists: to check the whole history would take as long as a
// search.
void Search::check_known() {
    bool one_failed = false;
    for (const Evaluation* finalist : choose_finalists(tried_.all(), seeds_)) {
        if (finalist->binary) {
            continue;
        }
        const Evaluation& known = tried_.of(finalist->index);
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
    return std::any_of(tried_.all().begin(), tried_.all().end(), [](const Evaluation& one) {
        return lacked_resources(one.verdict, one.reason);
    });
}

void Search::log_failure(const Evaluation& evaluation) const {
    log_.info("{} {}: {}: {}", task_.kernel_template().source().name,
              evaluation.configuration.text(), to_string(evaluation.verdict), evaluation.reason);
}

void Search::refute(const Evaluation& evaluation, const TrialFailure& failure) {
    const Evaluation& refuted =
        tried_.refute(evaluation.index, failure.verdict, failure.reason, rig_->conditions());
    log_failure(refuted);
    record_(refuted);
}

std::optional<TrialFailure> Search::compile_and_check(const Evaluation& known) {
    CompileOutcome outcome = binaries_.compile(task_, task_.instance(known.configuration));
    if (const auto* refusal = std::get_if<CompileFailure>(&outcome)) {
        return TrialFailure{Verdict::compile_failed, refusal->log, false};
    }
    if (auto failure = trial_->check(std::get<Binary>(outcome), known.configuration)) {
        return failure;
    }
    tried_.keep_binary(known.index, std::get<Binary>(std::move(outcome)));
    return std::nullopt;
}

bool Search::is_over() const {
    return (plan_.max_evaluations > 0 && tried_.all().size() >= plan_.max_evaluations) ||
           hooks_.stop->load() || on_target();
}

bool Search::is_spent() const {
    return (plan_.budget.count() > 0 && plan_.spent + time_.lasted() >= plan_.budget) ||
           (plan_.limit.count() > 0 && setup_ + time_.lasted() >= plan_.search_end());
}

bool Search::on_target() const {
    if (!tried_.progress().best_ns) {
        return false;
    }
    // A default that failed has no time, so that no speed-up over it is known or reached.
    const double best_ns = *tried_.progress().best_ns;
    const double factor = plan_.target_speed_up;
    return best_ns <= plan_.target_ns || (factor > 0 && best_ns * factor <= tried_.default_ns());
}

/// On the host, compilers would take processors from the candidate, so they wait meanwhile.
std::optional<TrialFailure> Search::time(const Binary& binary, Evaluation& evaluation) {
    if (!runs_on_gpu(task_.info().platform)) {
        ahead_->pause();
    }
    return trial_->time(binary, evaluation, tried_.progress().best_ns);
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
    // Record it before the search gives up on a lost device: the verdict keeps this candidate from
    // being run again.
    const Evaluation& added = tried_.add(std::move(evaluation));
    record_(added);
    tell_strategy(added);
    if (failed) {
        refuse_lost_device(*failed, task_.info(), added.configuration);
    }
    hooks_.progress(tried_.progress());
}

}  // namespace jitune::internal
