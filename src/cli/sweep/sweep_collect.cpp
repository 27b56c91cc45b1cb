// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/formats/table.hpp"
#include "cli/sweep/plan_file.hpp"
#include "plan/task_name.hpp"
#include "support/process_identity.hpp"
#include "support/temp_dir.hpp"
#include "sweep/plan_collect.hpp"
#include "text/units.hpp"

namespace jitune::internal::sweep_collect_command {

namespace {

using Kind = ProblemState::Kind;

struct Arguments : CommonArguments {
    std::string folder;
};

/// The names of the problems by rank, also if this build makes others of the plan.
std::vector<std::string> names_of_problems(const PlanFile& plan, const Log& log) {
    std::vector<std::string> names;
    try {
        for (const PlannedProblem& one : planned_problems(plan, log).problems) {
            names.push_back(one.problem.name);
        }
    } catch (const Error& error) {
        log.warning("problems are named by their ranks: {}", error.what());
        for (std::size_t rank = 0; rank < plan.order.size(); ++rank) {
            names.push_back(fmt::format("problem {}", rank));
        }
    }
    return names;
}

std::string reason_of(const CollectedClass& one, std::size_t rank) {
    const auto found = one.reasons.find(rank);
    return found == one.reasons.end() ? "tasks that worked on it ended without a word"
                                      : one_line(found->second);
}

/// One line for each problem that is not done, and of each kind no more than a page can hold.
class Details {
public:
    Details(const CollectedClass& found, const std::vector<std::string>& names)
        : found_(found), names_(names) {}

    std::string text() {
        for (const ProblemState& state : found_.states) {
            const std::size_t rank = state.rank;
            if (state.kind == Kind::claimed) {
                add(claimed_, fmt::format("claimed: {} by {}, {} ago; last sign of life {} ago\n",
                                          names_.at(rank), task_text(state.task),
                                          clock_text(found_.held_s.at(rank)),
                                          clock_text(found_.silent_s.at(rank))));
            } else if (state.kind == Kind::failed) {
                add(failed_,
                    fmt::format("failed: {}: {}\n", names_.at(rank), reason_of(found_, rank)));
            }
        }
        for (const std::size_t rank : found_.disputed) {
            add(disputed_, fmt::format("raced once more: {}: two tasks chose different "
                                       "configurations, and the intervals of their speed-ups have "
                                       "nothing in common; \"jitune sweep work\" takes it\n",
                                       names_.at(rank)));
        }
        for (const std::size_t rank : found_.lost) {
            add(lost_,
                fmt::format("waits again: {}: its result cannot be read\n", names_.at(rank)));
        }
        return text_ + rest("claimed", claimed_) + rest("failed", failed_) +
               rest("raced once more", disputed_) + rest("waiting again", lost_);
    }

private:
    static constexpr std::size_t kMostLines = 20;

    void add(std::size_t& count, const std::string& line) {
        text_ += count++ < kMostLines ? line : "";
    }
    static std::string rest(const char* kind, std::size_t count) {
        return count > kMostLines
                   ? fmt::format("and {} more {}: --json lists all\n", count - kMostLines, kind)
                   : "";
    }

    const CollectedClass& found_;
    const std::vector<std::string>& names_;
    std::string text_;
    std::size_t claimed_ = 0;
    std::size_t failed_ = 0;
    std::size_t disputed_ = 0;
    std::size_t lost_ = 0;
};

std::string text_of(const std::vector<CollectedClass>& classes,
                    const std::vector<std::string>& names) {
    std::vector<Table::Cells> rows;
    std::string details;
    for (const CollectedClass& one : classes) {
        const auto cell = [](std::size_t count) { return fmt::format("{}", count); };
        rows.push_back({one.device_class, cell(one.states.size()), cell(one.count(Kind::done)),
                        cell(one.count(Kind::claimed)), cell(one.count(Kind::waiting)),
                        cell(one.count(Kind::failed))});
        details += Details(one, names).text();
    }
    if (rows.empty()) {
        return fmt::format("no task has begun: all of the {} wait\n",
                           count_text(std::ssize(names), "problem"));
    }
    return Table::text({{"device class"},
                        {"problems", Align::right},
                        {"done", Align::right},
                        {"claimed", Align::right},
                        {"waiting", Align::right},
                        {"failed", Align::right}},
                       rows, output_columns()) +
           details;
}

Json json_of(const CollectedClass& one, const std::vector<std::string>& names) {
    Json missing = Json::array();
    for (const ProblemState& state : one.states) {
        if (state.kind == Kind::done) {
            continue;
        }
        Json row{{"problem", names.at(state.rank)}, {"state", to_string(state.kind)}};
        if (state.kind == Kind::claimed) {
            row["task"] = task_text(state.task);
            row["held_s"] = one.held_s.at(state.rank);
            row["silent_s"] = one.silent_s.at(state.rank);
        } else if (state.kind == Kind::failed) {
            row["reason"] = reason_of(one, state.rank);
        }
        row["losses"] = state.losses;
        row["failures"] = state.failures;
        missing.push_back(row);
    }
    const auto named = [&](const std::vector<std::size_t>& ranks) {
        Json list = Json::array();
        for (const std::size_t rank : ranks) {
            list.push_back(names.at(rank));
        }
        return list;
    };
    return {{"device_class", one.device_class},
            {"problems", one.states.size()},
            {"done", one.count(Kind::done)},
            {"claimed", one.count(Kind::claimed)},
            {"waiting", one.count(Kind::waiting)},
            {"failed", one.count(Kind::failed)},
            {"merged", one.merged},
            {"damaged", one.damaged},
            {"raced", named(one.disputed)},
            {"lost", named(one.lost)},
            {"missing", missing}};
}

int exit_code_of(const std::vector<CollectedClass>& classes) {
    bool is_complete = !classes.empty();
    for (const CollectedClass& one : classes) {
        if (one.count(Kind::failed) > 0) {
            return kExitFailed;
        }
        is_complete = is_complete && one.count(Kind::done) == one.states.size();
    }
    return is_complete ? kExitOk : kExitUnavailable;
}

int run(const Arguments& given) {
    const Options options = given.options();
    const Log log(options.log_level, options.log_sink);
    const PlanFolder folder = PlanFolder::open(given.folder);
    const PlanFile plan = read_plan(folder);
    const std::vector<std::string> names = names_of_problems(plan, log);
    const auto store = change_or_make_database(options);
    // All deliveries are one merge, which db undo takes back.
    const TempDir local;
    const std::filesystem::path plan_name = std::filesystem::canonical(given.folder).filename();
    const std::filesystem::path gathered = local.path() / (plan_name.string() + ".plan");
    const auto all = TuningStore::open(gathered, TuningStore::Access::read_write, log);
    std::vector<CollectedClass> classes;
    Json list = Json::array();
    for (const std::string& device_class : folder.classes()) {
        const SharedFolder its = folder.of_class(device_class);
        const ClaimScope scope = scope_of(plan, device_class);
        const Deliveries deliveries = folder.deliveries(its, scope.shards);
        ClaimFolder claims(its, folder.part(), deliveries, scope,
                           task_name(process_identity(), classes.size()));
        classes.push_back(collect_class(*all, claims, deliveries, log));
        classes.back().device_class = device_class;
        list.push_back(json_of(classes.back(), names));
    }
    const MergeReport merged = store->merges().add(all->merges(), {.trust_code = true});
    folder.clean();
    if (given.json) {
        print_json({{"plan", given.folder},
                    {"database", options.database.string()},
                    {"measurements", merged.measurements},
                    {"winners", merged.winners},
                    {"problems", names.size()},
                    {"classes", list}});
    } else {
        print(text_of(classes, names));
        if (!classes.empty()) {
            print(fmt::format("{} and {} new in {}\n", count_text(merged.winners, "winner"),
                              count_text(merged.measurements, "measurement"),
                              options.database.string()));
        }
    }
    return exit_code_of(classes);
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    return {{{"DIR", &given.folder, "The folder of the plan", {.required = true}},
             given.database_option(),
             given.log_option(),
             given.json_option()},
            [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::sweep_collect_command
