#include "engine/finals.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune {

namespace {

constexpr std::size_t kFinalists = 5;
constexpr int kMostRounds = 20;
constexpr int kFewestRounds = 6;

/// A finalist on the clock.
struct Lane {
    Finalist finalist;
    std::shared_ptr<const Program> program;
    std::unique_ptr<Timer> timer;
    bool failed = false;
};

std::vector<const Evaluation*> choose(const std::vector<Evaluation>& evaluations,
                                      std::size_t default_index) {
    std::vector<const Evaluation*> chosen;
    for (const Evaluation& evaluation : evaluations) {
        if (evaluation.verdict == Verdict::timed) {
            chosen.push_back(&evaluation);
        }
    }
    std::stable_sort(chosen.begin(), chosen.end(), [](const Evaluation* a, const Evaluation* b) {
        return a->median_ns < b->median_ns;
    });
    const auto last =
        chosen.begin() + static_cast<std::ptrdiff_t>(std::min(chosen.size(), kFinalists));
    const auto standard = std::find_if(
        last, chosen.end(), [&](const Evaluation* one) { return one->index == default_index; });
    std::vector<const Evaluation*> result(chosen.begin(), last);
    if (standard != chosen.end()) {
        result.push_back(*standard);
    }
    return result;
}

/// Nothing more can be timed after a fatal failure.
void refuse_fatal(const TrialFailure& failure, const Finalist& finalist) {
    if (failure.fatal) {
        throw Error(ErrorKind::device,
                    fmt::format("timing the finalists: {} took the device down: {}. Restart the "
                                "process",
                                finalist.evaluation->configuration.text(), failure.reason));
    }
}

void sample(Lane& lane, bool keep) {
    if (lane.failed) {
        return;
    }
    const auto result = Rig::sample(*lane.timer);
    if (const auto* failure = std::get_if<TrialFailure>(&result)) {
        refuse_fatal(*failure, lane.finalist);
        lane.failed = true;
    } else if (keep) {
        lane.finalist.samples_ns.push_back(std::get<double>(result));
    }
}

void put_winner_first(std::vector<Finalist>& finalists, std::size_t default_index) {
    std::stable_sort(finalists.begin(), finalists.end(), [](const Finalist& a, const Finalist& b) {
        return a.summary.median_ns < b.summary.median_ns;
    });
    const auto standard =
        std::find_if(finalists.begin(), finalists.end(),
                     [&](const Finalist& one) { return one.evaluation->index == default_index; });
    if (standard == finalists.end() || standard == finalists.begin()) {
        return;
    }
    const Finalist& fastest = finalists.front();
    const bool clearly_faster = fastest.summary.median_ns * (1 + fastest.uncertainty) <
                                standard->summary.median_ns * (1 - standard->uncertainty);
    if (!clearly_faster) {
        std::rotate(finalists.begin(), standard, standard + 1);
    }
}

}  // namespace

std::vector<Finalist> run_finals(Backend& backend, const KernelTemplate& kernel,
                                 const Problem& problem, Rig& rig,
                                 const std::vector<Evaluation>& evaluations,
                                 std::size_t default_index, std::chrono::milliseconds limit) {
    std::vector<Lane> lanes;
    for (const Evaluation* evaluation : choose(evaluations, default_index)) {
        Lane lane;
        lane.finalist.evaluation = evaluation;
        lane.program = backend.load(*evaluation->binary);
        auto timer = rig.timer(
            *lane.program, kernel.launch_rule(problem, backend.info(), evaluation->configuration));
        if (const auto* failure = std::get_if<TrialFailure>(&timer)) {
            refuse_fatal(*failure, lane.finalist);
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
            sample(lane, round > 0);
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
    put_winner_first(finalists, default_index);
    return finalists;
}

}  // namespace jitune
