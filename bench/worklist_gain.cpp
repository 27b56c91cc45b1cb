// SPDX-License-Identifier: Apache-2.0
// How soon `jitune sweep worklist` wins back what the calls of a program lose untuned: the part of
// the recoverable time that is won after parts of the full sweep's seconds, in the order of the
// work-list and in others.
//
//     worklist_gain TRACE DEVICE BUDGET [--brief PART] [--save FILE]
//     worklist_gain --load FILE
//
// Tunes each problem of TRACE, a file of bench/traces, on DEVICE twice, from an empty database:
// with BUDGET seconds, as the full sweep does, and with PART of it (0.125, as the work-list). Then
// it compares at the sizes of each problem the default, both winners and those of its neighbours.
// From these times it replays every order; an order sees only the results of what it has tuned.
// --save writes the times to a file; --load reads them, and the orders are replayed without a
// device. The recoverable time is the time that a full sweep saves. The benchmark leaves out arrays
// that are too small to be tuned.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>

#include <fmt/format.h>

#include "worklist_measure.hpp"
#include "worklist_replay.hpp"
#include "worklist_trace.hpp"

namespace {

using namespace jitune::internal;
using namespace jitune::bench;
using Step = std::pair<std::size_t, Effort>;

/// Each item with its full budget, in this order.
NextStep in_order(const std::vector<std::size_t>& order) {
    return [order, next = std::size_t{0}](Replay&) mutable {
        return next < order.size() ? std::optional<Step>({order[next++], Effort::full})
                                   : std::nullopt;
    };
}

/// That of the work-list.
NextStep ours(const Measured& measured) {
    std::vector<WorkItem> items;
    for (const MeasuredItem& one : measured.items) {
        items.push_back(one.item);
    }
    return [&measured, order = WorkOrder(items, {}, measured.budget_s)](
               Replay&) mutable -> std::optional<Step> {
        const std::vector<WorkStep> steps = order.steps();
        if (steps.empty()) {
            return std::nullopt;
        }
        const auto [item, effort, saved, expected] = steps.front();
        const MeasuredTuning& tuning = measured.items[item].tunings.at(effort);
        order.done(item, effort, tuning.winners, tuning.seconds);
        return Step{item, effort};
    };
}

/// At each step the one that saves most for its seconds, as only the results can tell.
NextStep best(const std::vector<Effort>& efforts) {
    return [efforts](Replay& replay) -> std::optional<Step> {
        std::optional<Step> best;
        double best_rate = 0;
        const double before = replay.calls_s();
        for (std::size_t item = 0; item < replay.measured().items.size(); ++item) {
            for (const Effort effort : efforts) {
                if (replay.has(item, effort) || replay.has(item, Effort::full)) {
                    continue;
                }
                Replay tried = replay;
                tried.tune(item, effort);
                const double rate =
                    (before - tried.calls_s()) / (tried.spent_s() - replay.spent_s());
                if (!best || rate > best_rate) {
                    best = {item, effort};
                    best_rate = rate;
                }
            }
        }
        return best;
    };
}

void print(const char* name, const std::vector<Curve>& curves) {
    const auto mean = [&](const auto& value_of) {
        double sum = 0;
        for (const Curve& curve : curves) {
            sum += value_of(curve);
        }
        return 100 * sum / static_cast<double>(curves.size());
    };
    fmt::print("{:<28}", name);
    for (const double part : {0.05, 0.1, 0.25, 0.5, 1.0}) {
        fmt::print(" {:>7.1f}", mean([&](const Curve& curve) { return curve.won_at(part); }));
    }
    fmt::print(" {:>9.1f}\n", mean([](const Curve& curve) { return curve.reached_at(0.9); }));
}

void report(const Measured& measured) {
    constexpr double kLeast = 0.5;
    Replay replay(measured);
    const double recoverable = 100 * replay.recoverable_s() / replay.untuned_s();
    double brief_s = 0;
    for (const MeasuredItem& one : measured.items) {
        brief_s += one.tunings.at(Effort::brief).seconds;
    }
    fmt::print(
        "{} on {}: {} problems, full sweep {:.1f} s with {:.2f} s each, brief ones with {:.3f} of "
        "it {:.1f} s; calls {:.4f} s, of which {:.2f} % recoverable\n",
        measured.trace, measured.device_name, measured.items.size(), replay.sweep_s(),
        measured.budget_s, measured.brief_part, brief_s, replay.untuned_s(), recoverable);
    if (recoverable < kLeast) {
        fmt::print("that is no more than noise, and its parts below mean nothing\n");
    }
    fmt::print("{:<28} {:>7} {:>7} {:>7} {:>7} {:>7} {:>9}\n", "won, %, after", "5 %", "10 %",
               "25 %", "50 %", "100 %", "90 % after");
    std::vector<std::size_t> order(measured.items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    print("the work-list", {run(replay, ours(measured))});
    std::vector<Curve> random;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
        random.push_back(run(replay, in_order(order)));
    }
    print("random, mean of 5", random);
    std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        return measured.items[left].item.calls() > measured.items[right].item.calls();
    });
    print("most called first", {run(replay, in_order(order))});
    print("best, full budgets", {run(replay, best({Effort::full}))});
    print("best, brief ones first", {run(replay, best({Effort::brief, Effort::full}))});
}

/// The value behind an option, which is taken out of the words; "" without the option.
std::string taken(std::vector<std::string>& words, const char* option) {
    const auto found = std::find(words.begin(), words.end(), option);
    if (found == words.end() || found + 1 == words.end()) {
        return "";
    }
    std::string value = *(found + 1);
    words.erase(found, found + 2);
    return value;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    const std::string from = taken(words, "--load");
    const std::string to = taken(words, "--save");
    const std::string part = taken(words, "--brief");
    const double budget_s = words.size() == 3 ? std::atof(words[2].c_str()) : 0;
    const double brief_part = part.empty() ? kBriefPart : std::atof(part.c_str());
    const bool is_right = from.empty() ? budget_s > 0 && brief_part > 0 && brief_part < 1
                                       : words.empty() && to.empty() && part.empty();
    if (!is_right) {
        fmt::print(stderr,
                   "usage: worklist_gain TRACE DEVICE BUDGET(above 0) [--brief PART(below 1)] "
                   "[--save FILE]\n"
                   "       worklist_gain --load FILE\n");
        return 2;
    }
    try {
        Measured measured;
        if (!from.empty()) {
            measured = load(from);
        } else {
            const std::vector<TracedCall> calls = read_trace(words[0]);
            measured = measure(calls, words[1], budget_s, brief_part);
            measured.trace = words[0].substr(words[0].find_last_of('/') + 1);
        }
        if (!to.empty()) {
            save(measured, to);
        }
        report(measured);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
