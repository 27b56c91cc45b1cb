// SPDX-License-Identifier: Apache-2.0
// How good a template's default is at sizes that nobody has named: at random sizes, the time of its
// default by its tables [[default]], of its parameters' own defaults, and of what a search of some
// seconds finds, against each other.
//
//     untuned SEED SIZES SECONDS DEVICE reduce --types=float32,int8 --ops=sum
//     --sizes=2^10..2^30
//     untuned SEED SIZES SECONDS DEVICE FILE [--multiple-of=M] m=64..4096 n=64..4096
//     element=float32
//
// SIZES of each range for each combination of types and operations; sizes that are named are taken
// as they are. Stores what it measures in the database of JITUNE_DB. With JITUNE_UNTUNED_POOL=1 it
// then times each winner at all sizes of its template: the table that `jitune db rules` learns from
// has no holes then.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "dispatch/engine.hpp"
#include "families/families.hpp"
#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "range/size_grid.hpp"
#include "swept_plan.hpp"
#include "template/default_rules.hpp"
#include "tuning/finals/finalist.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;

/// The configuration that the parameters' defaults alone give.
std::string plain_default(const Task& task) {
    TemplateSource source = task.kernel_template().source();
    source.text = without_default_rules(source.text);
    return KernelTemplate(std::move(source))
        .default_configuration(task.problem, task.info())
        .text();
}

struct Losses {
    std::string name;
    int count = 0;
    double worst = 1;
    double log_sum = 0;

    void add(double loss) {
        ++count;
        worst = std::max(worst, loss);
        log_sum += std::log(loss);
    }
    void print() const {
        fmt::print("    {:<6} geometric mean {:.3f}, worst {:.2f}\n", name,
                   std::exp(log_sum / std::max(count, 1)), worst);
    }
};

class Untuned {
public:
    Untuned(Engine& engine, SearchPlan plan) : engine_(engine), plan_(std::move(plan)) {}

    void look_at(const Task& task) {
        const std::string rule = task.default_configuration().text();
        const std::string plain = plain_default(task);
        const TuneReport tuned = engine_.tuner().tune(task, plan_, {});
        const std::string& winner = tuned.winner.configuration;
        winners_.insert(winner);
        const auto times = measure(task, {rule, plain, winner});
        const auto best =
            std::min_element(times.begin(), times.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        fmt::print("{:<20} {:>10.2f} us", task.sizes(), best->second / 1e3);
        const auto loss = [&](Losses& losses, const std::string& configuration) {
            const auto found = times.find(configuration);
            if (found == times.end()) {
                fmt::print("  {} failed", losses.name);
                return;
            }
            losses.add(found->second / best->second);
            fmt::print("  {} {:.3f}", losses.name, found->second / best->second);
        };
        loss(plain_, plain);
        loss(rule_, rule);
        loss(tuned_, winner);
        fmt::print("  {}\n", rule == winner ? "=" : winner);
        std::fflush(stdout);
    }

    /// Times each winner so far, unless the task's constraints exclude it.
    void fill(const Task& task) { measure(task, {winners_.begin(), winners_.end()}); }

    void print() const {
        plain_.print();
        rule_.print();
        tuned_.print();
    }

private:
    std::map<std::string, double> measure(const Task& task,
                                          const std::vector<std::string>& configurations) {
        const TuneReport report = engine_.tuner().compare(task, configurations, {}, {});
        std::map<std::string, double> times_ns;
        for (const bool finals : {false, true}) {  // times of the finals replace those before
            for (const Measurement& one : report.measurements) {
                if (is_of_finals(one) == finals && one.verdict == Verdict::timed) {
                    times_ns[one.configuration] = summarize(one.samples_ns).median_ns;
                }
            }
        }
        return times_ns;
    }

    Engine& engine_;
    const SearchPlan plan_;
    Losses plain_{"plain"}, rule_{"rule"}, tuned_{"tuned"};
    std::set<std::string> winners_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6) {
        fmt::print(stderr, "untuned SEED SIZES SECONDS DEVICE {{FAMILY|FILE}} NAME=VALUE...\n");
        return 2;
    }
    try {
        const std::int64_t count = bench::positive("SIZES", argv[2]);
        const double seconds = std::strtod(argv[3], nullptr);
        if (!(seconds > 0 && seconds < 1e6)) {  // no budget would mean no limit
            throw Error(ErrorKind::usage,
                        fmt::format("SECONDS={}: give a positive number", argv[3]));
        }
        const SweepPlan plan = bench::swept_plan(argv[5], {argv + 6, argv + argc});
        const bool fills = std::getenv("JITUNE_UNTUNED_POOL") != nullptr;
        Engine engine(Options::from_environment(), families());
        Device& device = engine.device(argv[4]);
        fmt::print("{}\n", device.info().device_class);
        Untuned untuned(engine, {.strategy = "auto",
                                 .seed = 1,
                                 .budget = std::chrono::milliseconds(std::lround(seconds * 1000))});
        std::mt19937_64 random(std::strtoull(argv[1], nullptr, 10));
        std::vector<Task> tasks;
        for (const PlannedProblem& planned : plan.problems) {
            const SweepProblem& swept = planned.problem;
            fmt::print("{}\n", swept.name);
            for (std::int64_t done = 0; done < (swept.domain ? count : 1); ++done) {
                Problem problem = swept.problem;
                if (swept.domain) {
                    problem.sizes = random_sizes(*swept.domain, random);
                }
                for (std::size_t i = 0; i < problem.multiples.size(); ++i) {
                    const std::int64_t multiple = problem.multiples[i];
                    problem.sizes[i] =
                        std::max(problem.sizes[i] / multiple, std::int64_t{1}) * multiple;
                }
                tasks.push_back({device, swept.kernel(device), problem});
                untuned.look_at(tasks.back());
            }
        }
        untuned.print();
        for (const Task& task : tasks) {
            if (fills) {
                untuned.fill(task);
            }
        }
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
