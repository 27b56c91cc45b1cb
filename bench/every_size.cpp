// SPDX-License-Identifier: Apache-2.0
// How good the stored winners are at sizes that took no part in their choice: after
// `jitune sweep reduce --types T --ops OP --sizes LOW..HIGH`, the time of what serves a random size
// over the best of all stored configurations, the default and, for some sizes, what a search of two
// seconds finds there.
//
//     every_size SEED SIZES TUNED LOW HIGH [DEVICE] [TYPE OP]...
//
// SIZES random sizes between LOW and HIGH, at TUNED of which a search is made. Without types, the
// float32 sum. Uses the database of JITUNE_DB, and stores nothing.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dispatch/engine.hpp"
#include "families/families.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_types.hpp"
#include "measure/statistics.hpp"
#include "range/size_grid.hpp"
#include "tuner_db/winner_table.hpp"
#include "tuning/finalist.hpp"
#include "tuning/tuner.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;

struct Totals {
    int sizes = 0;
    int unserved = 0;             ///< no sure winner: a call would tune
    int slower_than_default = 0;  ///< clearly: its whole interval is
    double worst = 1;
    double worst_tuned = 1;
    double log_loss = 0;
};

class EverySize {
public:
    EverySize(Engine& engine, Device& device, ElementType type, ReduceOp op, SizeBox domain)
        : engine_(engine),
          task_{device, reduce_kernel(ReduceKind::all, device.info().platform),
                reduce_problem({type, results_of(type, op).front(), op,
                                detail::ReduceShape::all(domain.from[0])})},
          domain_(std::move(domain)),
          rows_(engine.winners_of(task_, domain_)) {}

    void print_rows() const {
        std::set<std::string> configurations;
        for (const Winner& row : rows_) {
            configurations.insert(row.configuration);
        }
        fmt::print("{} rows of {} configurations\n", rows_.size(), configurations.size());
    }

    void look_at(const Sizes& sizes, bool tuned) {
        Task task = task_;
        task.problem.sizes = sizes;
        const auto stored = engine_.store()->find(task.key(), sizes);
        totals_.unserved += stored ? 0 : 1;
        if (!stored) {
            return;
        }
        SearchPlan plan;
        plan.compared = {stored->configuration};
        for (const Winner& row : rows_) {
            plan.compared.push_back(row.configuration);
        }
        std::optional<std::string> best_here;
        if (tuned) {
            const SearchPlan search{
                .strategy = "auto", .seed = 1, .budget = std::chrono::milliseconds(2000)};
            best_here = tune(task, search, {}, binaries_, engine_.log()).winner.configuration;
            plan.compared.push_back(*best_here);
        }
        judge(tune(task, plan, {}, binaries_, engine_.log()), best_here);
    }

    void print_totals() const {
        fmt::print(
            "{} sizes, {} not served; loss: worst {:.4f}, geometric mean {:.4f}, worst over a "
            "search there {:.4f}; {} clearly slower than the default\n",
            totals_.sizes + totals_.unserved, totals_.unserved, totals_.worst,
            std::exp(totals_.log_loss / std::max(totals_.sizes, 1)), totals_.worst_tuned,
            totals_.slower_than_default);
    }

private:
    void judge(const TuneReport& report, const std::optional<std::string>& best_here) {
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
        ++totals_.sizes;
        totals_.slower_than_default += is_slower ? 1 : 0;
        totals_.worst = std::max(totals_.worst, loss);
        totals_.log_loss += std::log(loss);
        if (best_here) {
            totals_.worst_tuned =
                std::max(totals_.worst_tuned, served.median_ns / times_ns[*best_here]);
        }
        fmt::print("{:<16} {:>10.0f} ns  loss {:.4f}  default {:.4f}{}{}\n", served.sizes,
                   served.median_ns, loss, served.default_median_ns / best_ns,
                   best_here ? "  beside a search" : "", is_slower ? "  slower than default" : "");
        fflush(stdout);
    }

    Engine& engine_;
    const Task task_;
    const SizeBox domain_;
    const std::vector<Winner> rows_;
    BinaryCache binaries_;
    Totals totals_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6) {
        fmt::print(stderr, "every_size SEED SIZES TUNED LOW HIGH [DEVICE] [TYPE OP]...\n");
        return 2;
    }
    try {
        const int sizes = std::atoi(argv[2]);
        const int tuned = std::atoi(argv[3]);
        const SizeBox domain{{std::atoll(argv[4])}, {std::atoll(argv[5])}};
        Engine engine(Options::from_environment(), families());
        Device& device = engine.device(argc > 6 ? argv[6] : "cuda:0");
        for (int i = 7; i < std::max(argc, 8); i += 2) {
            const std::string type = i + 1 < argc ? argv[i] : "float32";
            const std::string op = i + 1 < argc ? argv[i + 1] : "sum";
            fmt::print("{} {} on {}\n", type, op, device.info().name);
            EverySize every(engine, device, parse_element_type(type), parse_reduce_op(op), domain);
            every.print_rows();
            std::mt19937_64 random(std::strtoull(argv[1], nullptr, 10));
            for (int done = 0; done < sizes; ++done) {
                every.look_at(random_sizes(domain, random), done < tuned);
            }
            every.print_totals();
        }
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
