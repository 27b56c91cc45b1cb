// SPDX-License-Identifier: Apache-2.0
#include "tuning/finals/finalist.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "measure/timing_rules.hpp"

namespace jitune::internal {
namespace {

constexpr std::size_t kFinalists = 8;
constexpr double kClose = 1.15;  // times the best median: noise may explain the difference
constexpr double kHopeless = 2;  // times the best median: no noise explains it

using Chosen = std::vector<const Evaluation*>;

Chosen sorted_by_median(const std::vector<Evaluation>& evaluations) {
    Chosen timed;
    for (const Evaluation& evaluation : evaluations) {
        if (evaluation.verdict == Verdict::timed) {
            timed.push_back(&evaluation);
        }
    }
    std::stable_sort(timed.begin(), timed.end(), [](const Evaluation* a, const Evaluation* b) {
        return a->median_ns < b->median_ns;
    });
    return timed;
}

/// Adds those that are close to the best of their kind: the ones that earlier searches timed, or
/// the ones that this search did.
void add_fastest(Chosen& chosen, const Chosen& timed, bool by_earlier_search) {
    double best_ns = 0;
    std::size_t count = 0;
    for (const Evaluation* evaluation : timed) {
        if (evaluation->by_earlier_search != by_earlier_search || count == kFinalists) {
            continue;
        }
        best_ns = count == 0 ? evaluation->median_ns : best_ns;
        if (evaluation->median_ns <= kClose * best_ns) {
            chosen.push_back(evaluation);
            ++count;
        }
    }
}

/// A seed's fastest sample decides, because on a busy machine its median says little.
bool is_hopeless(const Evaluation& seed, double best_ns) {
    return *std::min_element(seed.samples_ns.begin(), seed.samples_ns.end()) > kHopeless * best_ns;
}

}  // namespace

Gain gain_in_rounds(const std::vector<Finalist>& finalists, std::size_t standard) {
    const Finalist& winner = finalists.front();
    Gain gain{0, {winner.conditions.text(), winner.uncertainty, 0, 0}};
    for (const Finalist& finalist : finalists) {
        if (finalist.evaluation->index == standard) {
            const Interval ratio = ratio_of(finalist.samples_ns, winner.samples_ns);
            gain.default_ns = finalist.summary.median_ns;
            gain.certainty.speed_up_low = ratio.low;
            gain.certainty.speed_up_high = ratio.high;
        }
    }
    return gain;
}

Conditions::Phase phase_of(const Measurement& measurement) {
    return Conditions::parse(measurement.conditions).phase;
}

Chosen choose_finalists(const std::vector<Evaluation>& evaluations,
                        const std::vector<std::size_t>& seeds) {
    const Chosen timed = sorted_by_median(evaluations);
    Chosen chosen;
    // Two contests: times that a database remembers must not push this search's own candidates out.
    add_fastest(chosen, timed, false);
    add_fastest(chosen, timed, true);
    for (const Evaluation* evaluation : timed) {
        const bool seed = std::find(seeds.begin(), seeds.end(), evaluation->index) != seeds.end();
        const bool is_in = std::find(chosen.begin(), chosen.end(), evaluation) != chosen.end();
        if (seed && !is_in && !is_hopeless(*evaluation, timed.front()->median_ns)) {
            chosen.push_back(evaluation);
        }
    }
    return chosen;
}

Interval FinalistFigures::energy_delay() const {
    std::vector<double> products;
    for (std::size_t i = 0; i < energy_j.size(); ++i) {
        products.push_back(energy_j[i] * launch_ns[i] * 1e-9);
    }
    return mean_interval(products);
}

double FinalistFigures::power_w() const {
    const double ns = std::accumulate(launch_ns.begin(), launch_ns.end(), 0.0);
    return std::accumulate(energy_j.begin(), energy_j.end(), 0.0) / ns * 1e9;
}

std::string FinalistFigures::text() const {
    std::string text;
    const auto add = [&](const std::string& name, double value) {
        text += fmt::format("{}\"{}\":{:.6g}", text.empty() ? "{" : ",", name, value);
    };
    if (!energy_j.empty()) {
        const Interval interval = energy();
        add("energy_j", interval.value);
        add("energy_low_j", interval.low);
        add("energy_high_j", interval.high);
        add("power_w", power_w());
    }
    for (const CounterValue& counter : counters) {
        add(counter.name, counter.value);
    }
    return text.empty() ? text : text + "}";
}

}  // namespace jitune::internal
