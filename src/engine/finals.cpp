#include "engine/finals.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune {

namespace {

constexpr std::size_t kFinalists = 5;
constexpr double kHopeless = 2;  // times the best median: no noise explains it
constexpr int kMostRounds = 20;
constexpr int kFewestRounds = 6;

/// A finalist on the clock.
struct Lane {
    Finalist finalist;
    std::shared_ptr<const Program> program;
    std::unique_ptr<Timer> timer;
    bool failed = false;
};

void sample(Lane& lane, bool keep, TuneObserver* observer) {
    if (lane.failed) {
        return;
    }
    if (observer != nullptr) {
        observer->begin(lane.finalist.evaluation->configuration.text(), TuneObserver::Phase::time);
    }
    const auto result = Rig::sample(*lane.timer);
    if (const auto* failure = std::get_if<TrialFailure>(&result)) {
        refuse_lost_device(*failure, lane.finalist.evaluation->configuration);
        lane.failed = true;
    } else if (keep) {
        lane.finalist.samples_ns.push_back(std::get<double>(result));
    }
}
void put_winner_first(std::vector<Finalist>& finalists, const std::vector<std::size_t>& seeds) {
    std::stable_sort(finalists.begin(), finalists.end(), [](const Finalist& a, const Finalist& b) {
        return a.summary.median_ns < b.summary.median_ns;
    });
    for (auto seed = seeds.rbegin(); seed != seeds.rend(); ++seed) {
        const auto standing =
            std::find_if(finalists.begin(), finalists.end(),
                         [&](const Finalist& one) { return one.evaluation->index == *seed; });
        if (standing == finalists.end()) {
            continue;
        }
        const Finalist& fastest = finalists.front();
        const bool clearly_faster = fastest.summary.median_ns * (1 + fastest.uncertainty) <
                                    standing->summary.median_ns * (1 - standing->uncertainty);
        if (!clearly_faster) {
            std::rotate(finalists.begin(), standing, standing + 1);
        }
        return;
    }
}

}  // namespace

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
    for (const Evaluation* evaluation : timed) {
        const bool seed = std::find(seeds.begin(), seeds.end(), evaluation->index) != seeds.end();
        const bool hopeless = evaluation->median_ns > kHopeless * timed.front()->median_ns;
        if (chosen.size() < kFinalists || (seed && !hopeless)) {
            chosen.push_back(evaluation);
        }
    }
    return chosen;
}

std::vector<Finalist> run_finals(Backend& backend, const KernelTemplate& kernel,
                                 const Problem& problem, Rig& rig,
                                 const std::vector<Evaluation>& evaluations,
                                 const std::vector<std::size_t>& seeds,
                                 std::chrono::milliseconds limit, TuneObserver* observer) {
    std::vector<Lane> lanes;
    for (const Evaluation* evaluation : choose_finalists(evaluations, seeds)) {
        Lane lane;
        lane.finalist.evaluation = evaluation;
        if (observer != nullptr) {
            observer->begin(evaluation->configuration.text(), TuneObserver::Phase::time);
        }
        lane.program = backend.load(*evaluation->binary);
        auto timer = rig.timer(
            *lane.program, kernel.launch_rule(problem, backend.info(), evaluation->configuration));
        if (const auto* failure = std::get_if<TrialFailure>(&timer)) {
            refuse_lost_device(*failure, lane.finalist.evaluation->configuration);
            continue;
        }
        lane.timer = std::get<std::unique_ptr<Timer>>(std::move(timer));
        lanes.push_back(std::move(lane));
    }
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    for (int round = 0; round <= kMostRounds; ++round) {  // round 0 warms up
        if (round > kFewestRounds && limit.count() > 0 && Clock::now() - begin > limit) {
            break;
        }
        for (Lane& lane : lanes) {
            sample(lane, round > 0, observer);
        }
    }
    std::vector<Finalist> finalists;
    for (Lane& lane : lanes) {
        if (!lane.failed) {
            lane.finalist.summary = summarize(lane.finalist.samples_ns);
            lane.finalist.uncertainty = relative_uncertainty(lane.finalist.samples_ns);
            finalists.push_back(std::move(lane.finalist));
        }
    }
    put_winner_first(finalists, seeds);
    return finalists;
}

}  // namespace jitune
