#include "engine/search.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "measure/statistics.hpp"

namespace jitune {

namespace {

// A slow or noisy candidate must not eat the budget of the others; it ends with the fewest samples
// that bound a median.
constexpr std::chrono::milliseconds kCandidateTime{200};
constexpr double kUsualRate = 100;  // candidates per second that a usual machine gets through

}  // namespace

namespace {

void tell(Strategy& strategy, const Evaluation& evaluation) {
    strategy.tell(evaluation.index, evaluation.verdict == Verdict::timed
                                        ? std::optional(evaluation.median_ns)
                                        : std::nullopt);
}

}  // namespace

Search::Search(Backend& backend, const KernelTemplate& kernel, const Problem& problem,
               const SearchSpace& space, Rig& rig, BinaryCache& binaries,
               const TuneOptions& options, const Log& log)
    : backend_(backend),
      kernel_(kernel),
      problem_(problem),
      space_(space),
      rig_(rig),
      binaries_(binaries),
      options_(options),
      log_(log),
      seeds_{space.find(kernel.default_configuration(space))} {
    progress_.space = space.size();
    if (options.incumbent) {
        const std::size_t incumbent = space.find(*options.incumbent);
        if (incumbent < space.size() && incumbent != seeds_.front()) {
            seeds_.push_back(incumbent);
        }
    }
}

void Search::run() {
    const auto strategy =
        make_strategy(options_.strategy, space_, options_.seed, expected_evaluations());
    CompileAhead ahead(backend_, kernel_, problem_, binaries_);
    for (const std::size_t seed : seeds_) {
        ahead.submit({{seed, space_.at(seed)}});
    }
    while (ahead.pending() > 0) {
        evaluate(ahead.next());
    }
    bool asking = true;
    while (!out_of_budget()) {
        asking = asking && refill(*strategy, ahead);
        if (ahead.pending() == 0) {
            complete_ = true;
            return;
        }
        evaluate(ahead.next());
        tell(*strategy, evaluations_.back());
    }
}

bool Search::refill(Strategy& strategy, CompileAhead& ahead) {
    while (ahead.pending() < ahead.depth()) {
        const std::vector<std::size_t> asked = strategy.ask(ahead.depth() - ahead.pending());
        if (asked.empty()) {
            return false;
        }
        std::vector<CompileAhead::Wanted> wanted;
        for (const std::size_t index : asked) {
            const auto seed =
                std::find_if(evaluations_.begin(), evaluations_.end(),
                             [&](const Evaluation& done) { return done.index == index; });
            if (seed != evaluations_.end()) {  // evaluated before the strategy was asked
                tell(strategy, *seed);
            } else {
                wanted.push_back({index, space_.at(index)});
            }
        }
        ahead.submit(std::move(wanted));
    }
    return true;
}

std::size_t Search::expected_evaluations() const {
    const auto in_time = static_cast<std::size_t>(
        std::chrono::duration<double>(options_.budget).count() * kUsualRate);
    if (options_.max_evaluations == 0 || in_time == 0) {
        return std::max(options_.max_evaluations, in_time);
    }
    return std::min(options_.max_evaluations, in_time);
}

bool Search::out_of_budget() const {
    const auto spent = std::chrono::steady_clock::now() - begin_;
    return (options_.budget.count() > 0 && spent >= options_.budget) ||
           (options_.max_evaluations > 0 && evaluations_.size() >= options_.max_evaluations) ||
           (options_.stop != nullptr && options_.stop->load());
}

void Search::evaluate(CompiledCandidate candidate) {
    Evaluation evaluation;
    evaluation.index = candidate.index;
    evaluation.configuration = std::move(candidate.configuration);
    std::optional<TrialFailure> failed;
    if (const auto* failure = std::get_if<CompileFailure>(&candidate.outcome)) {
        evaluation.verdict = Verdict::compile_failed;
        evaluation.reason = failure->log;
    } else if (failed = measure(std::get<Binary>(candidate.outcome), evaluation); failed) {
        evaluation.verdict = failed->verdict;
        evaluation.reason = failed->reason;
        evaluation.samples_ns.clear();
    }
    if (evaluation.conditions.empty()) {  // not timed
        evaluation.conditions = rig_.conditions();
    }
    ++progress_.evaluated;
    if (evaluation.verdict == Verdict::timed) {
        evaluation.binary = std::get<Binary>(std::move(candidate.outcome));
        evaluation.median_ns = summarize(evaluation.samples_ns).median_ns;
        if (!progress_.best_ns || evaluation.median_ns < *progress_.best_ns) {
            progress_.best_ns = evaluation.median_ns;
        }
    } else {
        ++progress_.failed;
        log_.info("{} {}: {}: {}", kernel_.source().name, evaluation.configuration.text(),
                  to_string(evaluation.verdict), evaluation.reason);
    }
    evaluations_.push_back(std::move(evaluation));
    if (failed) {
        refuse_lost_device(*failed, evaluations_.back().configuration);
    }
    if (options_.progress) {
        options_.progress(progress_);
    }
}

std::optional<TrialFailure> Search::measure(const Binary& binary, Evaluation& evaluation) {
    std::shared_ptr<const Program> program;
    LaunchRule rule;
    try {
        program = backend_.load(binary);
        rule = kernel_.launch_rule(problem_, backend_.info(), evaluation.configuration);
    } catch (const Error& error) {
        return TrialFailure{Verdict::launch_failed, error.what(), false};
    }
    const DeviceLock::Turn turn = rig_.turn();
    if (auto failure = rig_.check(*program, rule)) {
        return failure;
    }
    auto timer = rig_.timer(*program, rule);
    if (auto* failure = std::get_if<TrialFailure>(&timer)) {
        return std::move(*failure);
    }
    return take_steady_samples(*std::get<std::unique_ptr<Timer>>(timer), turn.alone(), evaluation);
}

std::optional<TrialFailure> Search::take_steady_samples(Timer& timer, bool alone,
                                                        Evaluation& evaluation) {
    // The first run pays for what is done once: uploads of code, first touches, clocks.
    const auto first = Rig::sample(timer);
    if (const auto* failure = std::get_if<TrialFailure>(&first)) {
        return *failure;
    }
    Clocks clocks = Clocks::unknown;
    int discarded = 0;
    do {
        evaluation.samples_ns.clear();
        rig_.clocks().begin();
        if (auto failure = take_samples(timer, evaluation.samples_ns)) {
            return failure;
        }
        clocks = rig_.clocks().end();
    } while (clocks == Clocks::noisy && rig_.clocks().discard(discarded++));
    evaluation.conditions = rig_.conditions(clocks, alone);
    return rig_.judge_time(summarize(evaluation.samples_ns).median_ns);
}

std::optional<TrialFailure> Search::take_samples(Timer& timer,
                                                 std::vector<double>& samples_ns) const {
    const auto begin = std::chrono::steady_clock::now();
    const auto enough = [&] {
        const bool late = std::chrono::steady_clock::now() - begin > kCandidateTime;
        return rule_.enough(samples_ns, progress_.best_ns) ||
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

}  // namespace jitune
