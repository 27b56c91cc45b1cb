// SPDX-License-Identifier: Apache-2.0
// How good the stored winners are at sizes that took no part in their choice: after a `jitune
// sweep` of ranges, the time of what serves a random size over the best of all configurations that
// the database has stored or compared, the default and, for some sizes, what a search of two
// seconds finds there. Disturbed comparisons are made again, and so are up to four with a loss of
// 10 % or more: the least time of each configuration counts.
//
//     every_size SEED SIZES TUNED DEVICE reduce --types=float32 --ops=sum --sizes=2^10..2^30
//     every_size SEED SIZES TUNED DEVICE FILE [--multiple-of=M] m=64..4096 n=64..4096
//     element=float32
//
// --beside=DATABASE, perhaps several: what that database has stored or compared is a rival, too.
//
// Behind DEVICE stands what was swept: a family with the options of its sweep, each as NAME=VALUE,
// or a kernel template with its sizes and types. SIZES random sizes of each range, at TUNED of
// which a search is made. Sizes that no sure winner serves, or a provisional one, count by
// themselves, with what the policy `offline` answers. Where the default answers in place of a sure
// winner, that counts as sure. Uses the database of JITUNE_DB, and stores nothing.

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
#include "dispatch/behind/stored_costs.hpp"
#include "dispatch/engine.hpp"
#include "families/families.hpp"
#include "measure/statistics.hpp"
#include "range/size_grid.hpp"
#include "swept_plan.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/tuner.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;

constexpr double kSlow = 1.1;

struct Totals {
    int sizes = 0;
    int slower_than_default = 0;        ///< clearly: its whole interval is
    std::set<std::string> ranges;       ///< the rows that were looked at, by the sizes they cover
    std::set<std::string> slow_ranges;  ///< of these, those with a loss of kSlow or more
    double worst = 1;
    double worst_tuned = 1;
    double log_loss = 0;
};

/// Comparisons at the same sizes. Other processes only lengthen times: the least ones count.
struct Timed {
    Winner served;  ///< with the times of the last comparison
    std::map<std::string, double> ns;

    void add(const TuneReport& report) {
        served = report.winner;
        std::map<std::string, double> now;
        for (const bool finals : {false, true}) {  // times of the finals replace those before
            for (const Measurement& one : report.measurements) {
                if (is_of_finals(one) == finals && one.verdict == Verdict::timed) {
                    now[one.configuration] = summarize(one.samples_ns).median_ns;
                }
            }
        }
        for (const auto& [configuration, its_ns] : now) {
            const auto [known, is_new] = ns.emplace(configuration, its_ns);
            known->second = std::min(known->second, its_ns);
        }
    }
    /// Of what serves, over the best.
    [[nodiscard]] double loss() const {
        double best_ns = ns.at(served.configuration);
        for (const auto& [configuration, its_ns] : ns) {
            best_ns = std::min(best_ns, its_ns);
        }
        return ns.at(served.configuration) / best_ns;
    }
};

class EverySize {
public:
    EverySize(Engine& engine, Device& device, const SweepProblem& swept,
              const std::vector<std::string>& beside)
        : engine_(engine), device_(device), swept_(swept), beside_(beside) {}

    void look_at(const Sizes& wished, bool tuned) {
        const Task task = task_of(wished);
        const Explanation answer = explain(engine_, task);
        const bool is_sure = !answer.rows.empty() &&
                             (answer.rows.front().serves || answer.rows.front().is_withheld) &&
                             !is_provisional(answer.rows.front().winner.certainty);
        std::vector<std::string> compared{answer.configuration.empty()
                                              ? task.default_configuration().text()
                                              : answer.configuration};
        const std::set<std::string>& rivals = rivals_of(task);
        compared.insert(compared.end(), rivals.begin(), rivals.end());
        std::optional<std::string> best_here;
        if (tuned) {
            const SearchPlan search{
                .strategy = "auto", .seed = 1, .budget = std::chrono::milliseconds(2000)};
            best_here = tune(task, search, {}, binaries_, engine_.log()).winner.configuration;
            compared.push_back(*best_here);
        }
        const std::optional<Timed> timed = timed_at(task, compared);
        if (!timed) {
            ++disturbed_;
            fmt::print("{:<16} all comparisons were disturbed\n", task.sizes());
            return;
        }
        Totals& totals = is_sure ? sure_ : unsure_;
        judge(*timed, best_here, totals);
        if (is_sure) {
            const Winner& row = answer.rows.front().winner;
            const std::string covers = row.range.covers.empty() ? row.sizes : row.range.covers;
            totals.ranges.insert(covers);
            if (timed->loss() >= kSlow) {
                totals.slow_ranges.insert(covers);
            }
        }
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
        fmt::print("{} sizes could not be judged: all comparisons were disturbed\n", disturbed_);
    }

private:
    static void print(const char* which, const Totals& totals) {
        fmt::print(
            "{} {} sizes; loss: worst {:.4f}, geometric mean {:.4f}, worst over a search there "
            "{:.4f}; {} clearly slower than the default\n",
            totals.sizes, which, totals.worst,
            std::exp(totals.log_loss / std::max(totals.sizes, 1)), totals.worst_tuned,
            totals.slower_than_default);
        if (!totals.ranges.empty()) {
            fmt::print("{} {} rows looked at, of which {} lose 10 % or more somewhere\n",
                       totals.ranges.size(), which, totals.slow_ranges.size());
        }
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

    /// The configurations that the databases have stored or compared for the task's alignment.
    const std::set<std::string>& rivals_of(const Task& task) {
        const RecordKey key = task.key();
        const auto [known, is_new] = rivals_.try_emplace(key.alignment);
        if (is_new) {
            for (const Winner& row : rows_of(task)) {
                known->second.insert(row.configuration);
            }
            const auto add_compared = [&, &its = known->second](TuningStore& store) {
                for (const Measurement& one : store.measurements().comparisons(key)) {
                    if (one.verdict == Verdict::timed) {
                        its.insert(one.configuration);
                    }
                }
            };
            engine_.tuner().store().ask([&](TuningStore& open) { add_compared(open); });
            for (const std::string& database : beside_) {
                add_compared(
                    *TuningStore::open(database, TuningStore::Access::read_only, engine_.log()));
            }
        }
        return known->second;
    }

    /// Compares until a comparison was undisturbed, and the loss is small or seen several times.
    std::optional<Timed> timed_at(const Task& task, const std::vector<std::string>& compared) {
        constexpr int kMost = 10;
        constexpr int kEnough = 5;
        std::optional<Timed> timed;
        int undisturbed = 0;
        for (int i = 0; i < kMost && undisturbed < kEnough && !(timed && timed->loss() < kSlow);
             ++i) {
            const TuneReport report = compare(task, compared, {}, {}, binaries_, engine_.log());
            if (std::any_of(report.measurements.begin(), report.measurements.end(),
                            was_disturbed)) {
                continue;
            }
            ++undisturbed;
            if (!timed) {
                timed.emplace();
            }
            timed->add(report);
        }
        return timed;
    }

    void judge(const Timed& timed, const std::optional<std::string>& best_here, Totals& totals) {
        const Winner& served = timed.served;
        const double loss = timed.loss();
        const double served_ns = timed.ns.at(served.configuration);
        const double best_ns = served_ns / loss;
        const bool is_slower =
            served.certainty.speed_up_high > 0 && served.certainty.speed_up_high < 1;
        ++totals.sizes;
        totals.slower_than_default += is_slower ? 1 : 0;
        totals.worst = std::max(totals.worst, loss);
        totals.log_loss += std::log(loss);
        if (best_here) {
            totals.worst_tuned = std::max(totals.worst_tuned, served_ns / timed.ns.at(*best_here));
        }
        fmt::print("{:<16} {:>10.0f} ns  loss {:.4f}  default {:.4f}{}{}{}\n", served.sizes,
                   served_ns, loss, served.default_median_ns / best_ns,
                   &totals == &unsure_ ? "  unsure" : "", best_here ? "  beside a search" : "",
                   is_slower ? "  slower than default" : "");
        fflush(stdout);
    }

    Engine& engine_;
    Device& device_;
    const SweepProblem& swept_;
    const std::vector<std::string>& beside_;
    std::map<std::int64_t, std::vector<Winner>> rows_;      ///< by alignment
    std::map<std::int64_t, std::set<std::string>> rivals_;  ///< by alignment
    BinaryCache binaries_;
    Totals sure_;
    Totals unsure_;
    int disturbed_ = 0;  ///< sizes at which all comparisons were
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
        std::vector<std::string> words;
        std::vector<std::string> beside;
        for (const std::string_view word : std::vector<std::string_view>(argv + 6, argv + argc)) {
            constexpr std::string_view kBeside = "--beside=";
            const bool is_beside = word.starts_with(kBeside);
            (is_beside ? beside : words)
                .emplace_back(is_beside ? word.substr(kBeside.size()) : word);
        }
        const SweepPlan plan = bench::swept_plan(argv[5], words);
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
            EverySize every(engine, device, swept, beside);
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
