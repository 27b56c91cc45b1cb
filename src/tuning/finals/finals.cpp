// SPDX-License-Identifier: Apache-2.0
#include "tuning/finals/finals.hpp"

#include <algorithm>
#include <optional>

namespace jitune::internal {

namespace {

constexpr int kPatience = 4;  // rounds between two questions whether they are enough

// A kernel of some microseconds can be 5 % faster or slower each time that its code is loaded, and
// stays so for as long as it is loaded. So each finalist is timed in several loadings, unless it
// takes so long that the difference does not show.
constexpr std::size_t kLoadings = 4;
constexpr double kLongFinalNs = 1'000'000;

/// Half the distance between the times of one configuration in the search and in the finals,
/// relative to the latter, if they differ by more than any clock explains and nothing is known
/// to have disturbed the search. Else 0.
double contradiction(const Evaluation& search, double final_ns) {
    constexpr double kMost = 5;
    const auto [low, high] = std::minmax(search.median_ns, final_ns);
    return high > kMost * low && !search.conditions.contended ? (high - low) / 2 / final_ns : 0;
}

/// A finalist while it is timed.
struct Contender {
    Finalist finalist;
    std::vector<std::shared_ptr<const Program>> programs;  ///< the same code, loaded several times
    std::vector<std::unique_ptr<Timer>> timers;            ///< one for each program
};

/// The last round of one tuning. Holds the device, except while the tuning rests.
class Finals {
public:
    Finals(const Task& task, Rig& rig, const TuneHooks& hooks, const Refute& refute,
           const FinalRule& rule)
        : task_(task), rig_(rig), hooks_(hooks), refute_(refute), rule_(rule) {
        take_turn();
    }

    void load(const std::vector<const Evaluation*>& chosen);
    /// Takes rounds until there are enough, and says what has disturbed them.
    Disturbance take_rounds(std::optional<std::chrono::milliseconds> limit);
    void drop_impossible_times();
    /// No other tuning has used the device meanwhile.
    [[nodiscard]] bool alone() const { return alone_; }
    /// The winner first.
    std::vector<Finalist> rank(const std::vector<std::size_t>& seeds, const Conditions& conditions);

private:
    std::optional<Contender> make_contender(const Evaluation& evaluation, std::size_t loadings);
    void announce(const Evaluation& evaluation) {
        hooks_.observer->begin(evaluation.configuration.text(), TuneObserver::Phase::time);
    }
    void drop(const Evaluation& evaluation, const TrialFailure& failure) {
        refute_(evaluation, failure);
        refuse_lost_device(failure, task_.info(), evaluation.configuration);
    }
    /// Awaits a turn. While it rests, other tunings may have the device.
    void take_turn();
    void warm_up();
    std::optional<TrialFailure> take_sample(Contender& contender, std::size_t round);
    void take_round(std::size_t number);
    void drop_round();
    [[nodiscard]] std::vector<FinalRule::Samples> samples() const;
    [[nodiscard]] std::optional<std::size_t> standing(const std::vector<std::size_t>& seeds) const;

    const Task& task_;
    Rig& rig_;
    const TuneHooks& hooks_;
    const Refute& refute_;
    const FinalRule rule_;
    std::unique_ptr<DeviceLock::Turn> turn_;
    bool alone_ = true;
    std::vector<Contender> contenders_;
};

void Finals::take_turn() {
    if (turn_ != nullptr && (!hooks_.has_turn || hooks_.stop->load() || hooks_.has_turn())) {
        return;
    }
    turn_.reset();
    await_turn(hooks_);
    turn_.reset(new DeviceLock::Turn(rig_.turn()));
    alone_ = alone_ && turn_->alone();
}

void Finals::load(const std::vector<const Evaluation*>& chosen) {
    const bool all_long = std::all_of(
        chosen.begin(), chosen.end(),
        [](const Evaluation* evaluation) { return evaluation->median_ns >= kLongFinalNs; });
    for (const Evaluation* evaluation : chosen) {
        if (auto contender = make_contender(*evaluation, all_long ? 1 : kLoadings)) {
            contenders_.push_back(std::move(*contender));
        }
    }
}

std::optional<Contender> Finals::make_contender(const Evaluation& evaluation,
                                                std::size_t loadings) {
    Contender contender;
    contender.finalist.evaluation = &evaluation;
    announce(evaluation);
    const LaunchRule rule = task_.launch_rule(evaluation.configuration);
    while (contender.timers.size() < loadings) {
        contender.programs.push_back(task_.device.load(*evaluation.binary));
        auto timer = rig_.timer(*contender.programs.back(), rule);
        if (const auto* failure = std::get_if<TrialFailure>(&timer)) {
            drop(evaluation, *failure);
            return std::nullopt;
        }
        contender.timers.push_back(std::get<std::unique_ptr<Timer>>(std::move(timer)));
    }
    return contender;
}

std::optional<TrialFailure> Finals::take_sample(Contender& contender, std::size_t round) {
    announce(*contender.finalist.evaluation);
    const auto result = Rig::sample(*contender.timers[round % contender.timers.size()]);
    if (const auto* failure = std::get_if<TrialFailure>(&result)) {
        return *failure;
    }
    if (auto wrong = rig_.judge_timed()) {
        return wrong;
    }
    contender.finalist.samples_ns.push_back(std::get<double>(result));
    return std::nullopt;
}

/// Takes one sample of each contender, with the next loading of its code. In each round another
/// contender begins, so that none always follows the same neighbour. A contender that fails is out.
void Finals::take_round(std::size_t number) {
    std::vector<std::size_t> failed;
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
        const std::size_t index = (number + i) % contenders_.size();
        if (const auto failure = take_sample(contenders_[index], number)) {
            drop(*contenders_[index].finalist.evaluation, *failure);
            failed.push_back(index);
        }
    }
    std::sort(failed.rbegin(), failed.rend());
    for (const std::size_t index : failed) {
        contenders_.erase(contenders_.begin() + static_cast<std::ptrdiff_t>(index));
    }
}

void Finals::drop_round() {
    for (Contender& contender : contenders_) {
        contender.finalist.samples_ns.pop_back();
    }
}

void Finals::warm_up() {
    const std::size_t loadings = contenders_.empty() ? 0 : contenders_.front().timers.size();
    for (std::size_t loading = 0; loading < loadings; ++loading) {
        take_turn();
        take_round(loading);
        drop_round();
    }
}

/// Clocks stand for all rounds as they were in the worst one. Contention disturbs them if medians
/// cannot be relied on to leave it out.
Disturbance Finals::take_rounds(std::optional<std::chrono::milliseconds> limit) {
    const ActiveTime active(hooks_);
    const TimeSource::Clock::time_point begin = active.now();
    constexpr double kMedianStands = 0.25;
    Disturbance all{Clocks::steady};
    warm_up();
    int discarded = 0;
    int contended = 0;
    int slowed = 0;
    int taken = 0;  // with those that are discarded: what is left of a busy time is no fair sample
    int rounds = 0;
    while (!contenders_.empty()) {
        // The rule takes some time itself, so that it is asked now and then only.
        const bool late = hooks_.stop->load() || (limit && active.now() - begin > *limit);
        const bool ask = rounds % kPatience == 0 || rounds >= rule_.max_rounds;
        if (rounds >= rule_.min_rounds && (late || (ask && rule_.enough(samples())))) {
            break;
        }
        take_turn();
        rig_.watch().begin();
        take_round(static_cast<std::size_t>(rounds));
        const Disturbance seen = rig_.watch().end();
        ++taken;
        contended += seen.contended ? 1 : 0;
        if (seen.is_noise() && !hooks_.stop->load() && rig_.watch().discard(discarded++)) {
            drop_round();
            continue;
        }
        discarded = 0;
        ++rounds;
        slowed += seen.slowed ? 1 : 0;
        if (all.clocks != Clocks::noisy && seen.clocks != Clocks::steady) {
            all.clocks = seen.clocks;
        }
    }
    all.contended = contended > kMedianStands * taken || slowed > kMedianStands * rounds;
    return all;
}

void Finals::drop_impossible_times() {
    std::erase_if(contenders_, [&](const Contender& contender) {
        const auto failure = rig_.judge_time(summarize(contender.finalist.samples_ns).median_ns);
        if (failure) {
            drop(*contender.finalist.evaluation, *failure);
        }
        return failure.has_value();
    });
}

std::vector<FinalRule::Samples> Finals::samples() const {
    std::vector<FinalRule::Samples> samples;
    for (const Contender& contender : contenders_) {
        samples.push_back(contender.finalist.samples_ns);
    }
    return samples;
}

/// The contender that wins unless another is clearly faster: the last of the seeds that is left,
/// which is the incumbent, or the default if there is no incumbent or it failed.
std::optional<std::size_t> Finals::standing(const std::vector<std::size_t>& seeds) const {
    for (auto seed = seeds.rbegin(); seed != seeds.rend(); ++seed) {
        const auto found =
            std::find_if(contenders_.begin(), contenders_.end(), [&](const Contender& contender) {
                return contender.finalist.evaluation->index == *seed;
            });
        if (found != contenders_.end()) {
            return static_cast<std::size_t>(found - contenders_.begin());
        }
    }
    return std::nullopt;
}

std::vector<Finalist> Finals::rank(const std::vector<std::size_t>& seeds,
                                   const Conditions& conditions) {
    if (contenders_.empty()) {
        return {};
    }
    const auto winner = static_cast<std::ptrdiff_t>(rule_.winner(samples(), standing(seeds)));
    std::rotate(contenders_.begin(), contenders_.begin() + winner,
                contenders_.begin() + winner + 1);
    std::vector<Finalist> finalists;
    for (Contender& contender : contenders_) {
        Finalist& finalist = contender.finalist;
        finalist.summary = summarize(finalist.samples_ns);
        finalist.uncertainty =
            std::max(relative_uncertainty(finalist.samples_ns),
                     contradiction(*finalist.evaluation, finalist.summary.median_ns));
        finalist.conditions = conditions;
        finalists.push_back(std::move(finalist));
    }
    return finalists;
}

}  // namespace

std::vector<Finalist> run_finals(const Task& task, Rig& rig,
                                 const std::vector<const Evaluation*>& chosen,
                                 const std::vector<std::size_t>& seeds,
                                 std::optional<std::chrono::milliseconds> limit,
                                 const TuneHooks& hooks, const Refute& refute,
                                 const FinalRule& rule) {
    Finals finals(task, rig, hooks, refute, rule);
    finals.load(chosen);
    const Disturbance disturbance = finals.take_rounds(limit);
    finals.drop_impossible_times();
    Conditions conditions = rig.conditions(disturbance, finals.alone());
    conditions.phase = Conditions::Phase::finals;
    return finals.rank(seeds, conditions);
}

}  // namespace jitune::internal
