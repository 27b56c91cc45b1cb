// SPDX-License-Identifier: Apache-2.0
// How good the stored winners are at sizes that took no part in their choice: after a `jitune
// sweep` of ranges, the time of what serves a random size over the best of all stored
// configurations, the default and, for some sizes, what a search of two seconds finds there.
//
//     every_size SEED SIZES TUNED DEVICE reduce --types=float32 --ops=sum --sizes=2^10..2^30
//     every_size SEED SIZES TUNED DEVICE FILE [--multiple-of=M] m=64..4096 n=64..4096
//     element=float32
//
// Behind DEVICE stands what was swept: a family with the options of its sweep, each as NAME=VALUE,
// or a kernel template with its sizes and types. SIZES random sizes of each range, at TUNED of
// which a search is made. Sizes that no sure winner serves count by themselves, with what the
// policy `offline` answers. Where the default answers in place of a sure winner, that counts as
// sure. Uses the database of JITUNE_DB, and stores nothing.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/sweep/sweep_family.hpp"
#include "dispatch/answer/explanation.hpp"
#include "dispatch/engine.hpp"
#include "families/families.hpp"
#include "measure/statistics.hpp"
#include "range/size_grid.hpp"
#include "swept_plan.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/tuner.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;

struct Totals {
    int sizes = 0;
    int slower_than_default = 0;  ///< clearly: its whole interval is
    double worst = 1;
    double worst_tuned = 1;
    double log_loss = 0;
};

class EverySize {
public:
    EverySize(Engine& engine, Device& device, const SweepProblem& swept)
        : engine_(engine), device_(device), swept_(swept) {}

    void look_at(const Sizes& wished, bool tuned) {
        const Task task = task_of(wished);
        const Explanation answer = explain(engine_, task);
        const bool is_sure =
            !answer.rows.empty() && (answer.rows.front().serves || answer.rows.front().is_withheld);
        std::vector<std::string> compared{answer.configuration.empty()
                                              ? task.default_configuration().text()
                                              : answer.configuration};
        for (const Winner& row : rows_of(task)) {
            compared.push_back(row.configuration);
        }
        std::optional<std::string> best_here;
        if (tuned) {
            const SearchPlan search{
                .strategy = "auto", .seed = 1, .budget = std::chrono::milliseconds(2000)};
            best_here = tune(task, search, {}, binaries_, engine_.log()).winner.configuration;
            compared.push_back(*best_here);
        }
        judge(compare(task, compared, {}, {}, binaries_, engine_.log()), best_here,
              is_sure ? sure_ : unsure_);
    }

    void print_totals() const {
        std::set<std::string> configurations;
        std::size_t rows = 0;
        for (const auto& [alignment, its] : rows_) {
            rows += its.size();
            for (const Winner& row : its) {
                configurations.insert(row.configuration);
            }
        }
        fmt::print("{} rows of {} configurations\n", rows, configurations.size());
        print("sure", sure_);
        print("unsure", unsure_);
    }

private:
    static void print(const char* which, const Totals& totals) {
        fmt::print(
            "{} {} sizes; loss: worst {:.4f}, geometric mean {:.4f}, worst over a search there "
            "{:.4f}; {} clearly slower than the default\n",
            totals.sizes, which, totals.worst,
            std::exp(totals.log_loss / std::max(totals.sizes, 1)), totals.worst_tuned,
            totals.slower_than_default);
    }

    /// Of the largest multiples that are no larger than `sizes`.
    [[nodiscard]] Task task_of(const Sizes& sizes) const {
        Problem problem = swept_.problem;
        problem.sizes = sizes;
        for (std::size_t i = 0; i < problem.multiples.size(); ++i) {
            const std::int64_t multiple = problem.multiples[i];
            problem.sizes[i] = std::max(sizes[i] / multiple, std::int64_t{1}) * multiple;
        }
        return {device_, swept_.kernel(device_), problem};
    }

    /// All winners of the task's alignment.
    const std::vector<Winner>& rows_of(const Task& task) {
        const auto [known, is_new] = rows_.try_emplace(task.key().alignment);
        if (is_new) {
            known->second = winners_of(engine_.tuner().store(), task, *swept_.domain);
        }
        return known->second;
    }

    void judge(const TuneReport& report, const std::optional<std::string>& best_here,
               Totals& totals) {
        std::map<std::string, double> times_ns;
        for (const bool finals : {false, true}) {  // times of the finals replace those before
            for (const Measurement& one : report.measurements) {
                if (is_of_finals(one) == finals && one.verdict == Verdict::timed) {
                    times_ns[one.configuration] = summarize(one.samples_ns).median_ns;
                }
            }
        }
        const Winner& served = report.winner;
        double best_ns = served.median_ns;
        for (const auto& [configuration, ns] : times_ns) {
            best_ns = std::min(best_ns, ns);
        }
        const double loss = served.median_ns / best_ns;
        const bool is_slower =
            served.certainty.speed_up_high > 0 && served.certainty.speed_up_high < 1;
        ++totals.sizes;
        totals.slower_than_default += is_slower ? 1 : 0;
        totals.worst = std::max(totals.worst, loss);
        totals.log_loss += std::log(loss);
        if (best_here) {
            totals.worst_tuned =
                std::max(totals.worst_tuned, served.median_ns / times_ns[*best_here]);
        }
        fmt::print("{:<16} {:>10.0f} ns  loss {:.4f}  default {:.4f}{}{}{}\n", served.sizes,
                   served.median_ns, loss, served.default_median_ns / best_ns,
                   &totals == &unsure_ ? "  unsure" : "", best_here ? "  beside a search" : "",
                   is_slower ? "  slower than default" : "");
        fflush(stdout);
    }

    Engine& engine_;
    Device& device_;
    const SweepProblem& swept_;
    std::map<std::int64_t, std::vector<Winner>> rows_;  ///< by alignment
    BinaryCache binaries_;
    Totals sure_;
    Totals unsure_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6) {
        fmt::print(stderr, "every_size SEED SIZES TUNED DEVICE {{FAMILY|FILE}} NAME=VALUE...\n");
        return 2;
    }
    try {
        const std::int64_t sizes = bench::positive("SIZES", argv[2]);
        const int tuned = std::atoi(argv[3]);
        const SweepPlan plan = bench::swept_plan(argv[5], {argv + 6, argv + argc});
        Options options = Options::from_environment();
        options.on_miss = TunePolicy::offline;
        Engine engine(options, families());
        Device& device = engine.device(argv[4]);
        for (const PlannedProblem& planned : plan.problems) {
            const SweepProblem& swept = planned.problem;
            if (!swept.domain) {
                throw Error(ErrorKind::usage, swept.name + ": name ranges of sizes, FROM..TO");
            }
            fmt::print("{} on {}\n", swept.name, device.info().name);
            EverySize every(engine, device, swept);
            std::mt19937_64 random(std::strtoull(argv[1], nullptr, 10));
            for (std::int64_t done = 0; done < sizes; ++done) {
                every.look_at(random_sizes(*swept.domain, random), done < tuned);
            }
            every.print_totals();
        }
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
