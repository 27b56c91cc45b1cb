// SPDX-License-Identifier: Apache-2.0
// `jitune sweep worklist`: what calls had no winner for.
#include <algorithm>

#include <fmt/ranges.h>

#include "backend/platform_kind.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/report.hpp"
#include "cli/sweep/sweep_run.hpp"
#include "cli/sweep/sweep_text.hpp"
#include "cli/sweep/worklist_plan.hpp"
#include "dispatch/session_access.hpp"
#include "strategy/strategy.hpp"
#include "sweep/doubt_races.hpp"
#include "sweep/sweep.hpp"
#include "sweep/work_order.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal::sweep_worklist_command {

namespace {

using Arguments = SweepArguments;

/// WorkOrder for a sweep whose problems are all items with a brief effort, and behind them all
/// items in the same order with a full one.
class WorklistSweep : public SweepOrder {
public:
    explicit WorklistSweep(WorkOrder order) : order_(std::move(order)) {}

    std::vector<std::size_t> begin() override {
        std::vector<std::size_t> problems;
        for (const WorkStep& step : order_.steps()) {
            problems.push_back(step.item + (step.effort == Effort::full ? items() : 0));
        }
        return problems;
    }

    std::vector<std::size_t> after(const SweepRow& row, double seconds) override {
        const Effort effort = row.problem < items() ? Effort::brief : Effort::full;
        order_.done(row.problem % items(), effort, row.ranges, seconds);
        return begin();
    }

private:
    [[nodiscard]] std::size_t items() const { return order_.items().size(); }

    WorkOrder order_;
};

double budget_seconds(const Options& options) {
    return options.budget.count() == 0 ? kUsualBudgetS
                                       : std::chrono::duration<double>(options.budget).count();
}

std::string left_text(const std::vector<CallRecord>& misses, const std::string& device_class) {
    const auto others = std::count_if(misses.begin(), misses.end(), [&](const CallRecord& miss) {
        return miss.key.device_class != device_class;
    });
    return fmt::format("left in the work-list: {}{}\n", count_text(std::ssize(misses), "problem"),
                       others == 0 ? ""
                                   : fmt::format(", {} of them of other classes of devices, which "
                                                 "--device chooses",
                                                 others));
}

std::string race_text(const DoubtRace& race) {
    const Doubt& doubt = race.doubt;
    const std::string name =
        fmt::format("{} {} {}", doubt.key.kernel, short_types(doubt.key.types), doubt.sizes);
    if (!race.error.empty()) {
        return fmt::format("in doubt: {}: not raced: {}", name, one_line(race.error));
    }
    return fmt::format("in doubt: {}: {}{}, {} takes {}", name, to_string(race.report.outcome),
                       race.is_tuned ? ", tuned again" : "", race.report.configuration,
                       time_text(race.report.median_ns));
}

Json race_json(const DoubtRace& race) {
    Json json{{"kernel", race.doubt.key.kernel},
              {"types", race.doubt.key.types},
              {"sizes", race.doubt.sizes},
              {"configuration", race.doubt.configuration}};
    if (!race.error.empty()) {
        json.update({{"outcome", "not raced"}, {"note", race.error}});
        return json;
    }
    json.update({{"outcome", to_string(race.report.outcome)},
                 {"tuned", race.is_tuned},
                 {"answer", race.report.configuration},
                 {"median_ns", json_number(race.report.median_ns)}});
    return json;
}

/// Races the winners in doubt, before anything is tuned. Returns the races as JSON.
Json race(const Arguments& arguments, Engine& engine, Device& device, const Deadline& until,
          const Interrupt& interrupt) {
    refuse_unwritable(engine.options());
    const Options& options = engine.options();
    const SearchPlan plan{
        .strategy = options.strategy, .seed = options.seed, .budget = options.budget};
    TuneHooks hooks;
    hooks.stop = &interrupt.requested();
    Json races = Json::array();
    for (const DoubtRace& one : race_doubts(engine, device, plan, hooks, until)) {
        races.push_back(race_json(one));
        if (!arguments.json) {
            print(race_text(one) + '\n');
        } else if (!one.error.empty()) {
            engine.log().warning("{}", race_text(one));
        }
    }
    return races;
}

void refuse_machine(const std::string& device) {
    if (runs_placements(device)) {
        throw Error(
            ErrorKind::usage,
            fmt::format("--device {}: calls that are recorded have no placements of arrays "
                        "in host memory: use {} or {}",
                        device, to_string(PlatformKind::host), to_string(PlatformKind::cuda)));
    }
}

/// A problem that is tuned leaves the work-list, together with all problems of its WorkItem, which
/// the same tuning serves. They leave also if another build of jitune recorded them, under a key
/// that differs from this build's. Sizes whose winner is unsure come back when they are called.
int run_worklist(const Arguments& arguments) {
    refuse_machine(arguments.device);
    if (!arguments.plan.empty()) {
        return plan_worklist(arguments);
    }
    const Options options = sweep_options(arguments);
    refuse_sweep_report(options, arguments.report);
    SweepSearch search = sweep_search(arguments);
    std::vector<Winner> winners;
    std::vector<WorkItem> items;
    {
        const auto store = change_database(options);
        winners = store->winners();
        items = worklist(store->calls().misses(), winners);
    }
    Session session(options);
    Engine& engine = SessionAccess::engine(session);
    const std::vector<Device*> devices = sweep_devices(engine, arguments.device);
    std::vector<std::size_t> places;
    const std::string& device_class = devices.front()->info().device_class;
    const SweepPlan plan = worklist_plan(items, device_class, engine.log(), places);
    std::vector<WorkItem> planned;
    for (std::size_t i = 0; i < places.size() / 2; ++i) {
        planned.push_back(items[places[i]]);
    }
    WorklistSweep order(WorkOrder(std::move(planned), winners, budget_seconds(options)));
    search.order = &order;
    const Interrupt interrupt;
    const Json races = race(arguments, engine, *devices.front(), search.until, interrupt);
    const SweepResult result = run_sweep(arguments, engine, devices, plan, std::move(search),
                                         interrupt, {{"races", races}});
    std::vector<CallRecord> done;
    for (const SweepRow& row : result.rows) {
        if (row.outcome == SweepRow::Outcome::tuned && row.stored) {
            const std::vector<CallRecord>& misses = items[places.at(row.problem)].misses;
            done.insert(done.end(), misses.begin(), misses.end());
        }
    }
    const auto store = change_database(options);
    store->calls().remove(done);
    if (!arguments.json) {
        print(left_text(store->calls().misses(), device_class));
    }
    report_sweep(arguments, options);
    return sweep_exit_code(result);
}

}  // namespace

Invocation invocation() {
    return invocation_of<Arguments>(run_worklist, [](Arguments& given) {
        return usual_sweep_options(
            given, "host, cuda (all GPUs, one problem on each) or cuda:N [all GPUs, else the host]",
            {{"--within", &given.within,
              "Begin no race and no problem after this time, as in 600, 90s, 10m or 2h [no "
              "limit]"}});
    });
}

}  // namespace jitune::internal::sweep_worklist_command
