// SPDX-License-Identifier: Apache-2.0
// How good the stored winners are at sizes that took no part in their choice: after
// `jitune sweep reduce --types T --ops OP --shape SHAPE --sizes RANGE`, the time of what serves a
// random size over the best of all stored configurations, the default and, for some sizes, what a
// search of two seconds finds there.
//
//     every_size SEED SIZES TUNED SHAPE RANGE [DEVICE] [TYPE OP]...
//
// SHAPE is all, rows or columns, and RANGE a range as --sizes takes it. SIZES random sizes of it,
// at TUNED of which a search is made. Without types, the float32 sum. Sizes that no sure winner
// serves count by themselves, with what the policy `nearest` answers. Uses the database of
// JITUNE_DB, and stores nothing.

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

#include "cli/reduce_shape.hpp"
#include "dispatch/call.hpp"
#include "dispatch/engine.hpp"
#include "families/families.hpp"
#include "families/reduce/reduce_call.hpp"
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
    int slower_than_default = 0;  ///< clearly: its whole interval is
    double worst = 1;
    double worst_tuned = 1;
    double log_loss = 0;
};

class EverySize {
public:
    EverySize(Engine& engine, Device& device, ElementType type, ReduceOp op, const ShapeSpan& span)
        : engine_(engine), device_(device), type_(type), op_(op), span_(span) {}

    [[nodiscard]] SizeBox domain() const {
        return {task_of(span_.first).problem.sizes, task_of(span_.last).problem.sizes};
    }

    void look_at(const Sizes& sizes, bool tuned) {
        const detail::ReduceShape shape{span_.first.kind, sizes.size() > 1 ? sizes.front() : 1,
                                        sizes.back()};
        const Task task = task_of(shape);
        const detail::ReduceRequest request = request_of(shape);
        const Resolved& answer = resolve(engine_, device_, ReduceCall(request));
        SearchPlan plan;
        plan.compared = {answer.info.configuration};
        for (const Winner& row : rows_of(task)) {
            plan.compared.push_back(row.configuration);
        }
        std::optional<std::string> best_here;
        if (tuned) {
            const SearchPlan search{
                .strategy = "auto", .seed = 1, .budget = std::chrono::milliseconds(2000)};
            best_here = tune(task, search, {}, binaries_, engine_.log()).winner.configuration;
            plan.compared.push_back(*best_here);
        }
        judge(tune(task, plan, {}, binaries_, engine_.log()), best_here,
              answer.info.origin == Origin::stored ? sure_ : unsure_);
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

    [[nodiscard]] detail::ReduceRequest request_of(const detail::ReduceShape& shape) const {
        return {type_, results_of(type_, op_).front(), op_, shape};
    }
    [[nodiscard]] Task task_of(const detail::ReduceShape& shape) const {
        return {device_, reduce_kernel(shape.kind, device_.info().platform),
                reduce_problem(request_of(shape))};
    }

    /// All winners of the task's alignment.
    const std::vector<Winner>& rows_of(const Task& task) {
        const auto [known, is_new] = rows_.try_emplace(task.key().alignment);
        if (is_new) {
            known->second = engine_.winners_of(task, domain());
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
    const ElementType type_;
    const ReduceOp op_;
    const ShapeSpan span_;
    std::map<std::int64_t, std::vector<Winner>> rows_;  ///< by alignment
    BinaryCache binaries_;
    Totals sure_;
    Totals unsure_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6) {
        fmt::print(stderr, "every_size SEED SIZES TUNED SHAPE RANGE [DEVICE] [TYPE OP]...\n");
        return 2;
    }
    try {
        const int sizes = std::atoi(argv[2]);
        const int tuned = std::atoi(argv[3]);
        const ShapeSpan span = parse_shapes(parse_reduce_kind(argv[4]), argv[5]).front();
        Options options = Options::from_environment();
        options.on_miss = TunePolicy::offline;
        Engine engine(options, families());
        Device& device = engine.device(argc > 6 ? argv[6] : "cuda:0");
        for (int i = 7; i < std::max(argc, 8); i += 2) {
            const std::string type = i + 1 < argc ? argv[i] : "float32";
            const std::string op = i + 1 < argc ? argv[i + 1] : "sum";
            fmt::print("{} {} on {}\n", type, op, device.info().name);
            EverySize every(engine, device, parse_element_type(type), parse_reduce_op(op), span);
            std::mt19937_64 random(std::strtoull(argv[1], nullptr, 10));
            for (int done = 0; done < sizes; ++done) {
                every.look_at(random_sizes(every.domain(), random), done < tuned);
            }
            every.print_totals();
        }
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
