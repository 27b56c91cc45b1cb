// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/app/command.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/interrupt.hpp"
#include "cli/app/output.hpp"
#include "cli/sweep/plan_file.hpp"
#include "cli/sweep/sweep_text.hpp"
#include "cli/sweep/time_left.hpp"
#include "dispatch/session_access.hpp"
#include "dispatch/session_options.hpp"
#include "plan/task_name.hpp"
#include "support/process_identity.hpp"
#include "support/thread_pool.hpp"
#include "sweep/plan_work.hpp"
#include "text/units.hpp"

namespace jitune::internal::sweep_work_command {

namespace {

struct Arguments : CommonArguments {
    std::string folder;
    std::string time_left;
    std::string device;
};

/// "host" of "host", "cuda" of "cuda:1".
std::string platform_of(const std::string& device) {
    return device.substr(0, device.find(':'));
}

/// How the plan says to search, on the device that the task names.
SweepArguments search_on(const PlanFile& plan, const Arguments& given) {
    SweepArguments search = plan.search;
    if (!given.device.empty()) {
        if (!search.device.empty() && platform_of(search.device) != platform_of(given.device)) {
            throw Error(ErrorKind::usage,
                        fmt::format("--device {}: the plan is for {}: name such a device, or plan "
                                    "without --device",
                                    given.device, search.device));
        }
        search.device = given.device;
    }
    search.log = given.log;
    search.database = "none";
    return search;
}

/// Prints and keeps the rows of all devices.
class Rows : public SweepObserver {
public:
    Rows(const SweepPlan& plan, const Arguments& given)
        : plan_(plan), quiet_(given.json), width_(given.table_width()) {}

    void begin(const std::vector<std::string>& devices) {
        table_.emplace(plan_, devices, width_);
        if (!quiet_) {
            print(table_->header());
        }
    }
    void done(const SweepRow& row) override {
        const std::lock_guard lock(mutex_);
        if (!quiet_) {
            print(table_->lines(row));
        }
        rows_.push_back(row);
    }
    void progress(const SweepState& /*state*/) override {}

    [[nodiscard]] const std::vector<SweepRow>& rows() const { return rows_; }
    [[nodiscard]] std::int64_t count(SweepRow::Outcome outcome) const {
        return std::count_if(rows_.begin(), rows_.end(),
                             [&](const SweepRow& row) { return row.outcome == outcome; });
    }

private:
    const SweepPlan& plan_;
    const bool quiet_;
    const std::size_t width_;
    std::optional<SweepTable> table_;
    std::mutex mutex_;
    std::vector<SweepRow> rows_;
};

/// The parts of a task that all its devices use.
struct Shared {
    const PlanFolder& folder;
    const PlanFile& plan;
    const std::vector<SweepProblem>& problems;
    const SweepArguments& search;
    const Deadline& until;
    const std::atomic<bool>& stop;
    Rows& rows;
};

struct Ended {
    PlanEnd end = PlanEnd::nothing_left;
    std::string reason;
};

/// One device with a session and a database of its own.
class DeviceTask {
public:
    DeviceTask(const Shared& shared, std::size_t part)
        : shared_(shared),
          task_(task_name(process_identity(), part)),
          local_(shared.plan.id, task_),
          session_(options()) {}

    [[nodiscard]] Engine& engine() { return SessionAccess::engine(session_); }

    Ended run(const std::string& id) {
        Device& device = engine().device(id);
        const SharedFolder folder = shared_.folder.of_class(device.info().device_class);
        const ClaimScope scope = scope_of(shared_.plan, device.info().device_class);
        const Deliveries deliveries = shared_.folder.deliveries(folder, scope.shards);
        ClaimFolder claims(folder, shared_.folder.part(), deliveries, scope, task_);
        PlanWork work(engine(), device, {shared_.plan.id, task_, claims, deliveries, local_},
                      shared_.problems, sweep_search(shared_.search), shared_.until, shared_.stop,
                      shared_.rows);
        const PlanEnd end = work.run();
        return {end, work.last_reason()};
    }

private:
    [[nodiscard]] Options options() const {
        Options options = sweep_options(shared_.search);
        options.database = local_.database();
        options.frozen = false;
        return options;
    }

    const Shared& shared_;
    const std::string task_;
    LocalFolder local_;
    Session session_;
};

/// Works with all devices at once. Throws the first error once all have ended.
std::vector<Ended> work_with(const Shared& shared, DeviceTask& first,
                             const std::vector<std::string>& ids) {
    std::vector<Ended> ended(ids.size());
    ThreadPool().run(ids.size(), [&](std::size_t part) {
        ended[part] = part == 0 ? first.run(ids[0]) : DeviceTask(shared, part).run(ids[part]);
    });
    return ended;
}

std::string end_text(const Ended& ended) {
    switch (ended.end) {
        case PlanEnd::nothing_left:
            return "no problem waits any more";
        case PlanEnd::no_time:
            return "the time that is left does not suffice for one more problem";
        case PlanEnd::stopped:
            return "stopped";
        case PlanEnd::unfit:
            break;
    }
    return "several problems in a row could not be tuned here, and the rest is left to others: " +
           one_line(ended.reason);
}

int exit_code_of(const std::vector<Ended>& ended, const Rows& rows) {
    const auto any = [&](PlanEnd end) {
        return std::any_of(ended.begin(), ended.end(),
                           [&](const Ended& one) { return one.end == end; });
    };
    if (any(PlanEnd::stopped)) {
        return kExitInterrupted;
    }
    if (any(PlanEnd::unfit)) {
        return kExitUnavailable;
    }
    if (rows.count(SweepRow::Outcome::failed) > 0) {
        return kExitFailed;
    }
    return rows.count(SweepRow::Outcome::not_started) > 0 ? kExitUnavailable : kExitOk;
}

void print_end(const Arguments& given, const SweepPlan& problems,
               const std::vector<std::string>& ids, const std::vector<Ended>& ended,
               const Rows& rows) {
    if (!given.json) {
        print(sweep_legend(rows.rows()));
        for (std::size_t i = 0; i < ids.size(); ++i) {
            print(fmt::format("{}: {}\n", ids[i], end_text(ended[i])));
        }
        print(fmt::format(
            "{} tuned, {} handed back, {} not started, {} failed\n",
            rows.count(SweepRow::Outcome::tuned) + rows.count(SweepRow::Outcome::skipped),
            rows.count(SweepRow::Outcome::handed_back), rows.count(SweepRow::Outcome::not_started),
            rows.count(SweepRow::Outcome::failed)));
        return;
    }
    Json devices = Json::array();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        devices.push_back({{"device", ids[i]}, {"ended", end_text(ended[i])}});
    }
    Json done = Json::array();
    for (const SweepRow& row : rows.rows()) {
        done.push_back(sweep_row_json(problems, row, true));
    }
    print_json({{"plan", given.folder}, {"devices", devices}, {"rows", done}});
}

int run(const Arguments& given) {
    const PlanFolder folder = PlanFolder::open(given.folder);
    const PlanFile plan = read_plan(folder);
    const SweepArguments search = search_on(plan, given);
    const Deadline until = end_of_job(given.time_left);
    const Options options = sweep_options(search);
    refuse_frozen(options);
    const SweepPlan problems = planned_problems(plan, Log(options.log_level, options.log_sink));
    const std::vector<SweepProblem> by_rank = problems_of(problems);
    const Interrupt interrupt;
    Rows rows(problems, given);
    const Shared shared{folder, plan, by_rank, search, until, interrupt.requested(), rows};
    DeviceTask first(shared, 0);
    const std::vector<std::string> ids = ids_of(sweep_devices(first.engine(), search.device));
    if (!given.json) {
        print(fmt::format("{} of the plan {} on {}\n", count_text(std::ssize(by_rank), "problem"),
                          given.folder, fmt::join(ids, ", ")));
    }
    rows.begin(ids);
    const std::vector<Ended> ended = work_with(shared, first, ids);
    print_end(given, problems, ids, ended, rows);
    return exit_code_of(ended, rows);
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    return {
        {{"DIR", &given.folder, "The folder of the plan", {.required = true}},
         {"--time-left", &given.time_left,
          "This process will be killed after this time, as in 600, 90s, 10m or 2h: it begins no "
          "problem that may not end before [what Slurm says, else no limit]"},
         device_option(&given.device,
                       "host, cuda (all GPUs, one problem on each) or cuda:N [the plan's, else "
                       "all GPUs, else the host]"),
         given.log_option(),
         given.verbose_option(),
         given.json_option()},
        [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::sweep_work_command
