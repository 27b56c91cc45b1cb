// SPDX-License-Identifier: Apache-2.0
// How far independent sweeps of the same problem agree: each winner's time over that of the best
// configuration that any of them had in its finals, all timed together.
//
//     sweep_agreement [BUDGET_S] [SWEEPS] [DEVICE] [N...]
//
// By default 2 s, 10 sweeps, "cuda:0" and a float32 sum of 2^20, 2^26 and 2^28 elements.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dispatch/engine.hpp"
#include "families/families.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "measure/timing_rules.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/measure/rig.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kRounds = 60;
constexpr std::size_t kLoadings = 4;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A configuration with its samples of all rounds.
struct Lane {
    std::vector<std::shared_ptr<const Program>> programs;  // as often loaded, as in finals
    std::vector<std::unique_ptr<Timer>> timers;
    FinalRule::Samples samples_ns;
};

class Agreement {
public:
    Agreement(Device& device, const Log& log, std::int64_t n)
        : task_{device, reduce_kernel(ReduceKind::all, device.info().platform),
                reduce_problem({ElementType::float32, ElementType::float32, ReduceOp::sum,
                                detail::ReduceShape::all(n)})},
          log_(log) {}

    void sweep(std::chrono::milliseconds budget, unsigned seed) {
        BinaryCache binaries;
        Clock::time_point searched = Clock::now();
        const auto begin = searched;
        const TuneHooks hooks{.progress = [&](const TuneProgress&) { searched = Clock::now(); }};
        const TuneReport report = tune(task_, {.strategy = "auto", .seed = seed, .budget = budget},
                                       hooks, binaries, log_);
        const double search_s = std::chrono::duration<double>(searched - begin).count();
        for (const Measurement& one : report.measurements) {
            if (is_of_finals(one)) {
                lanes_[one.configuration];
            }
        }
        winners_.push_back(report.winner.configuration);
        const auto& [conditions, uncertainty, low, high] = report.winner.certainty;
        fmt::print(
            "  seed {}: {} tried, {:.0f}/s, {:.2f} s in all; {:.0f} ns, default {:.3f} to "
            "{:.3f} times; {}\n    {}\n",
            seed, report.progress.evaluated,
            static_cast<double>(report.progress.evaluated) / search_s, seconds_since(begin),
            report.winner.median_ns, low, high, conditions, report.winner.configuration);
        fflush(stdout);
    }

    void compare() {
        Rig rig(task_.device, *task_.kernel.workload, task_.problem,
                task_.kernel_template().front_matter().warm_cache, log_);
        const DeviceLock::Turn turn = rig.turn();
        prepare(rig);
        for (std::size_t round = 0; round < kRounds + kLoadings; ++round) {  // the first warm up
            for (auto& [text, lane] : lanes_) {
                Timer& timer = *lane.timers[round % kLoadings];
                const double ns = std::get<double>(Rig::sample(timer));
                if (round >= kLoadings) {
                    lane.samples_ns.push_back(ns);
                }
            }
        }
        std::vector<FinalRule::Samples> lanes;
        for (const auto& [text, lane] : lanes_) {
            lanes.push_back(lane.samples_ns);
        }
        const FinalRule::Samples& best = lanes[FinalRule{}.winner(lanes, std::nullopt)];
        int good = 0;
        fmt::print("  winners over the best of {}:", lanes.size());
        for (const std::string& winner : winners_) {
            const double ratio = ratio_of(lanes_.at(winner).samples_ns, best).value;
            good += ratio <= 1.01 ? 1 : 0;
            fmt::print(" {:.4f}", ratio);
        }
        fmt::print("\n  {} of {} within 1 %\n", good, winners_.size());
    }

private:
    void prepare(Rig& rig) {
        BinaryCache binaries;
        for (auto& [text, lane] : lanes_) {
            const Configuration configuration = task_.parse(text);
            const CompileOutcome outcome = binaries.compile(task_, task_.instance(configuration));
            const LaunchRule rule = task_.launch_rule(configuration);
            for (std::size_t i = 0; i < kLoadings; ++i) {
                lane.programs.push_back(task_.device.load(std::get<Binary>(outcome)));
                lane.timers.push_back(
                    std::get<std::unique_ptr<Timer>>(rig.timer(*lane.programs.back(), rule)));
            }
        }
    }

    const Task task_;
    const Log& log_;
    std::map<std::string, Lane> lanes_;
    std::vector<std::string> winners_;
};

void print_clock_cost(Device& device) {
    const auto bench = device.make_bench();
    const auto reading = bench->clocks();
    if (!reading) {
        fmt::print("clocks: unknown\n");
        return;
    }
    constexpr int kReadings = 100;
    const auto begin = Clock::now();
    for (int i = 0; i < kReadings; ++i) {
        bench->clocks();
    }
    fmt::print("clocks: {} MHz{}, a reading takes {:.1f} us\n", reading->mhz,
               reading->held_down ? ", held down" : "", seconds_since(begin) * 1e6 / kReadings);
}

}  // namespace

int main(int argc, char** argv) {
    const double budget_s = argc > 1 ? std::atof(argv[1]) : 2;
    const int sweeps = argc > 2 ? std::atoi(argv[2]) : 10;
    std::vector<std::int64_t> sizes;
    for (int i = 4; i < argc; ++i) {
        sizes.push_back(std::atoll(argv[i]));
    }
    if (sizes.empty()) {
        sizes = {1 << 20, 1 << 26, 1 << 28};
    }
    try {
        Options options;
        options.database.clear();
        Engine engine(options, families());
        Device& device = engine.device(argc > 3 ? argv[3] : "cuda:0");
        print_clock_cost(device);
        for (const std::int64_t n : sizes) {
            fmt::print("float32 sum of {}\n", n);
            Agreement agreement(device, engine.log(), n);
            for (int seed = 0; seed < sweeps; ++seed) {
                agreement.sweep(
                    std::chrono::milliseconds(static_cast<std::int64_t>(budget_s * 1e3)),
                    static_cast<unsigned>(seed));
            }
            agreement.compare();
        }
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
