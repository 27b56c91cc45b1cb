// SPDX-License-Identifier: Apache-2.0
#include "tuning/finals.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "jitune/error.hpp"
#include "measure/final_rule.hpp"

namespace jitune::internal {

namespace {

/// The last of a finalist's conditions.
constexpr std::string_view kInterleaved = " interleaved";

constexpr std::size_t kFinalists = 8;
constexpr double kClose = 1.15;  // times the best median: noise may explain it
constexpr double kHopeless = 2;  // no noise explains it
constexpr int kPatience = 4;     // rounds between two looks at whether they are enough

// A kernel of some microseconds can be 5 % faster or slower than after the last time that its code
// was loaded, for as long as it stays there. What a winner is worth is known from several loadings,
// unless it takes too long for that to be seen.
constexpr std::size_t kLoadings = 4;
constexpr double kLongNs = 10'000'000;

/// A finalist on the clock.
struct Lane {
    Finalist finalist;
    std::vector<std::shared_ptr<const Program>> programs;  ///< as often loaded
    std::vector<std::unique_ptr<Timer>> timers;            ///< one for each
};

void announce(TuneObserver* observer, const Evaluation& evaluation) {
    if (observer != nullptr) {
        observer->begin(evaluation.configuration.text(), TuneObserver::Phase::time);
    }
}

std::size_t loadings_of(const std::vector<const Evaluation*>& chosen) {
    return std::all_of(chosen.begin(), chosen.end(),
                       [](const Evaluation* one) { return one->median_ns >= kLongNs; })
               ? 1
               : kLoadings;
}

std::vector<Lane> make_lanes(Device& device, const KernelTemplate& kernel, const Problem& problem,
                             Rig& rig, const std::vector<const Evaluation*>& chosen,
                             TuneObserver* observer) {
    const std::size_t loadings = loadings_of(chosen);
    std::vector<Lane> lanes;
    for (const Evaluation* evaluation : chosen) {
        Lane lane;
        lane.finalist.evaluation = evaluation;
        announce(observer, *evaluation);
        const LaunchRule rule =
            kernel.launch_rule(problem, device.info(), evaluation->configuration);
        while (lane.timers.size() < loadings) {
            lane.programs.push_back(device.load(*evaluation->binary));
            auto timer = rig.timer(*lane.programs.back(), rule);
            if (const auto* failure = std::get_if<TrialFailure>(&timer)) {
                refuse_lost_device(*failure, evaluation->configuration);
                break;
            }
            lane.timers.push_back(std::get<std::unique_ptr<Timer>>(std::move(timer)));
        }
        if (lane.timers.size() == loadings) {
            lanes.push_back(std::move(lane));
        }
    }
    return lanes;
}

/// One sample of each lane, from the first on or the second and so on, of its next loading; a lane
/// that fails is out.
void take_round(std::vector<Lane>& lanes, std::size_t number, TuneObserver* observer) {
    std::vector<std::size_t> failed;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const std::size_t place = (number + i) % lanes.size();
        Lane& lane = lanes[place];
        Finalist& finalist = lane.finalist;
        announce(observer, *finalist.evaluation);
        const auto result = Rig::sample(*lane.timers[number % lane.timers.size()]);
        if (const auto* failure = std::get_if<TrialFailure>(&result)) {
            refuse_lost_device(*failure, finalist.evaluation->configuration);
            failed.push_back(place);
        } else {
            finalist.samples_ns.push_back(std::get<double>(result));
        }
    }
    std::sort(failed.rbegin(), failed.rend());
    for (const std::size_t place : failed) {
        lanes.erase(lanes.begin() + static_cast<std::ptrdiff_t>(place));
    }
}

void drop_round(std::vector<Lane>& lanes) {
    for (Lane& lane : lanes) {
        lane.finalist.samples_ns.pop_back();
    }
}

std::vector<FinalRule::Lane> samples_of(const std::vector<Lane>& lanes) {
    std::vector<FinalRule::Lane> samples;
    for (const Lane& lane : lanes) {
        samples.push_back(lane.finalist.samples_ns);
    }
    return samples;
}

/// Rounds until there are enough; what the clocks did in them.
Clocks take_rounds(std::vector<Lane>& lanes, Rig& rig, std::chrono::milliseconds limit,
                   TuneObserver* observer) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const FinalRule rule;
    Clocks clocks = Clocks::steady;
    const std::size_t loadings = lanes.empty() ? 0 : lanes.front().timers.size();
    for (std::size_t loading = 0; loading < loadings; ++loading) {  // warms up
        take_round(lanes, loading, observer);
        drop_round(lanes);
    }
    int discarded = 0;
    for (int rounds = 0; !lanes.empty();) {
        const bool late = limit.count() > 0 && Clock::now() - begin > limit;
        const bool look = rounds % kPatience == 0 || rounds >= rule.max_rounds;
        if (rounds >= rule.min_rounds && (late || (look && rule.enough(samples_of(lanes))))) {
            break;
        }
        rig.clocks().begin();
        take_round(lanes, static_cast<std::size_t>(rounds), observer);
        const Clocks seen = rig.clocks().end();
        if (seen == Clocks::noisy && rig.clocks().discard(discarded++)) {
            drop_round(lanes);
            continue;
        }
        discarded = 0;
        ++rounds;
        if (clocks != Clocks::noisy && seen != Clocks::steady) {
            clocks = seen;
        }
    }
    return clocks;
}

/// The place of the last seed that is among the lanes.
std::optional<std::size_t> standing(const std::vector<Lane>& lanes,
                                    const std::vector<std::size_t>& seeds) {
    for (auto seed = seeds.rbegin(); seed != seeds.rend(); ++seed) {
        const auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& one) {
            return one.finalist.evaluation->index == *seed;
        });
        if (lane != lanes.end()) {
            return static_cast<std::size_t>(lane - lanes.begin());
        }
    }
    return std::nullopt;
}

}  // namespace

bool is_of_finals(const Measurement& measurement) {
    return measurement.conditions.ends_with(kInterleaved);
}

std::vector<const Evaluation*> choose_finalists(const std::vector<Evaluation>& evaluations,
                                                const std::vector<std::size_t>& seeds) {
    std::vector<const Evaluation*> timed;
    for (const Evaluation& evaluation : evaluations) {
        if (evaluation.verdict == Verdict::timed) {
            timed.push_back(&evaluation);
        }
    }
    std::stable_sort(timed.begin(), timed.end(), [](const Evaluation* a, const Evaluation* b) {
        return a->median_ns < b->median_ns;
    });
    std::vector<const Evaluation*> chosen;
    // Apart: what a database says of those of earlier searches keeps none of this one's out.
    for (const bool known : {false, true}) {
        double best_ns = 0;
        std::size_t count = 0;
        for (const Evaluation* evaluation : timed) {
            if (evaluation->conditions.empty() != known || count == kFinalists) {
                continue;
            }
            best_ns = count == 0 ? evaluation->median_ns : best_ns;
            if (evaluation->median_ns <= kClose * best_ns) {
                chosen.push_back(evaluation);
                ++count;
            }
        }
    }
    for (const Evaluation* evaluation : timed) {
        const bool seed = std::find(seeds.begin(), seeds.end(), evaluation->index) != seeds.end();
        const bool is_in = std::find(chosen.begin(), chosen.end(), evaluation) != chosen.end();
        // By its fastest sample: on a busy machine a median says little.
        const double fastest_ns =
            *std::min_element(evaluation->samples_ns.begin(), evaluation->samples_ns.end());
        if (seed && !is_in && fastest_ns <= kHopeless * timed.front()->median_ns) {
            chosen.push_back(evaluation);
        }
    }
    return chosen;
}

std::vector<Finalist> run_finals(Device& device, const KernelTemplate& kernel,
                                 const Problem& problem, Rig& rig,
                                 const std::vector<Evaluation>& evaluations,
                                 const std::vector<std::size_t>& seeds,
                                 std::chrono::milliseconds limit, TuneObserver* observer) {
    const DeviceLock::Turn turn = rig.turn();
    std::vector<Lane> lanes =
        make_lanes(device, kernel, problem, rig, choose_finalists(evaluations, seeds), observer);
    const Clocks clocks = take_rounds(lanes, rig, limit, observer);
    std::erase_if(lanes, [&](const Lane& lane) {
        return rig.judge_time(summarize(lane.finalist.samples_ns).median_ns).has_value();
    });
    if (lanes.empty()) {
        return {};
    }
    const std::size_t winner = FinalRule{}.winner(samples_of(lanes), standing(lanes, seeds));
    std::rotate(lanes.begin(), lanes.begin() + static_cast<std::ptrdiff_t>(winner),
                lanes.begin() + static_cast<std::ptrdiff_t>(winner) + 1);
    std::vector<Finalist> finalists;
    for (Lane& lane : lanes) {
        lane.finalist.summary = summarize(lane.finalist.samples_ns);
        lane.finalist.uncertainty = relative_uncertainty(lane.finalist.samples_ns);
        lane.finalist.conditions = rig.conditions(clocks, turn.alone()) + std::string(kInterleaved);
        finalists.push_back(std::move(lane.finalist));
    }
    return finalists;
}

}  // namespace jitune::internal
