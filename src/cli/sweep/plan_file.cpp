// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/plan_file.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/db/record_json.hpp"
#include "cli/formats/json.hpp"
#include "cli/formats/json_file.hpp"
#include "cli/sweep/worklist_file.hpp"
#include "cli/sweep/worklist_plan.hpp"
#include "jitune/error.hpp"
#include "jitune/version.hpp"
#include "support/hash.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostProblems = 10'000'000;

Json search_json(const SweepArguments& search) {
    return {{"device", search.device},           {"strategy", search.strategy},
            {"budget", search.budget},           {"seed", search.seed},
            {"evaluations", search.evaluations}, {"target", search.target},
            {"hints", !search.from.empty()},     {"hang_limit", search.hang_limit},
            {"isolation", !search.no_isolation}};
}

bool flag_member(const Json& object, const char* key) {
    bool value = false;
    read_member(object, {key}, value);
    return value;
}

std::size_t count_member(const Json& object, const char* key, std::int64_t least) {
    const std::int64_t count = integer_member(object, key);
    if (count < least) {
        throw Error(ErrorKind::usage, fmt::format("\"{}\" is below {}", key, least));
    }
    return static_cast<std::size_t>(count);
}

SweepArguments search_from(const Json& json, const std::filesystem::path& folder) {
    SweepArguments search;
    search.device = text_member(json, "device");
    search.strategy = text_member(json, "strategy");
    search.budget = text_member(json, "budget");
    search.seed = text_member(json, "seed");
    search.evaluations = count_member(json, "evaluations", 0);
    search.target = text_member(json, "target");
    search.from = flag_member(json, "hints") ? (folder / PlanFile::kHints).string() : "";
    search.hang_limit = text_member(json, "hang_limit");
    search.no_isolation = !flag_member(json, "isolation");
    return search;
}

Json template_json(const PlannedKernel& own) {
    const Json headers = json_list(own.code.headers, [](const auto& header) -> Json {
        return {{"name", header.first}, {"text", header.second}};
    });
    return {{"name", own.code.name},
            {"text", own.code.text},
            {"headers", headers},
            {"options", Json(own.code.options)},
            {"sizes", Json(own.problems.sizes)},
            {"types", Json(own.problems.types)},
            {"multiple_of", own.problems.multiple}};
}

/// Reads a file of a plan. Tasks run the code in it, so it refuses a file that another user may
/// have written.
std::string owned_text(const SharedFolder& folder, const char* name) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 28;
    std::optional<std::string> text = folder.text(name, kMostBytes);
    if (!text) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} is missing, belongs to another user, or others may write to "
                                "it: plan again, or take their right to write (chmod go-w)",
                                (folder.path() / name).string()));
    }
    return *std::move(text);
}

PlannedKernel read_template(const SharedFolder& folder) {
    const Json json = parse_json(owned_text(folder, PlanFile::kTemplate), PlanFile::kTemplate);
    PlannedKernel own;
    own.code.name = text_member(json, "name");
    own.code.text = text_member(json, "text");
    for (const Json& header : list_member(json, "headers")) {
        own.code.headers[text_member(header, "name")] = text_member(header, "text");
    }
    read_member(json, {"options"}, own.code.options);
    read_member(json, {"sizes"}, own.problems.sizes);
    read_member(json, {"types"}, own.problems.types);
    own.problems.multiple = count_member(json, "multiple_of", 1);
    return own;
}

/// Reads the template of a plan, or keeps the reason why it cannot: `sweep collect` works without.
void read_own(const SharedFolder& folder, PlanFile& plan) {
    try {
        plan.own = read_template(folder);
    } catch (const Error& error) {
        plan.why_no_own = error.what();
    }
}

/// Each of the numbers below their count, once.
std::vector<std::size_t> order_from(const Json& list) {
    std::vector<std::size_t> order;
    std::vector<bool> seen(list.size());
    for (const Json& one : list) {
        const bool is_place = one.is_number_unsigned() && one.get<std::uint64_t>() < list.size() &&
                              !seen[one.get<std::size_t>()];
        if (!is_place) {
            throw Error(ErrorKind::usage, "\"order\" does not name each problem once");
        }
        order.push_back(one.get<std::size_t>());
        seen[order.back()] = true;
    }
    return order;
}

PlanFile plan_from(const Json& json, const std::filesystem::path& folder) {
    const std::int64_t format = integer_member(json, "jitune_plan");
    if (format != PlanFile::kFormat) {
        throw Error(
            ErrorKind::usage,
            fmt::format("the plan was made by jitune {} in format {}, and this one reads {}: "
                        "work on it with that version, or plan again with this one",
                        text_member_or(json, "made_by", "?"), format, PlanFile::kFormat));
    }
    PlanFile plan;
    plan.id = text_member(json, "id");
    if (plan.id.size() != 16 ||
        plan.id.find_first_not_of("0123456789abcdef") != std::string::npos) {
        throw Error(ErrorKind::usage, "\"id\" must be 16 hexadecimal digits");
    }
    plan.kernel = text_member(json, "kernel");
    plan.digest = text_member(json, "digest");
    plan.search = search_from(member(json, "search"), folder);
    const Json& problems = member(json, "problems");
    for (const auto& [name, value] : problems.items()) {
        plan.search.problems[name] = text_member(problems, name.c_str());
    }
    plan.order = order_from(list_member(json, "order"));
    return plan;
}

/// The problems of unranked_problems(), by rank; none if their number is another one.
SweepPlan ranked_problems(const PlanFile& plan) {
    SweepPlan all = unranked_problems(plan);
    return all.problems.size() == plan.order.size() ? ranked(std::move(all), plan.order)
                                                    : SweepPlan{};
}

}  // namespace

void write_plan(const PlanFolder& folder, const PlanFile& plan) {
    Json problems = Json::object();
    for (const auto& [name, value] : plan.search.problems) {
        problems[name] = value;
    }
    const Json json{{"jitune_plan", PlanFile::kFormat},
                    {"made_by", JITUNE_VERSION_STRING},
                    {"id", plan.id},
                    {"kernel", plan.kernel},
                    {"problems", problems},
                    {"search", search_json(plan.search)},
                    {"digest", plan.digest},
                    {"order", Json(plan.order)}};
    if (plan.is_worklist()) {
        std::vector<WorkItem> items;
        for (const CallRecord& miss : plan.misses) {
            items.push_back({{miss}});
        }
        folder.root().deliver_text(json_text(worklist_json(items), 1), folder.part(),
                                   PlanFile::kWorklist);
    }
    if (plan.own) {
        folder.root().deliver_text(json_text(template_json(*plan.own), 1), folder.part(),
                                   PlanFile::kTemplate);
    }
    if (!plan.search.from.empty()) {
        folder.root().deliver(plan.search.from, folder.part(), PlanFile::kHints);
    }
    folder.root().deliver_text(json_text(json) + '\n', folder.part(), PlanFile::kName);
}

PlanFile read_plan(const PlanFolder& from) {
    const std::filesystem::path& folder = from.root().path();
    const std::filesystem::path path = folder / PlanFile::kName;
    std::error_code unknown;
    if (std::filesystem::exists(path, unknown) &&
        !std::filesystem::is_regular_file(path, unknown)) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} is not a regular file: make the plan again with sweep --plan",
                                path.string()));
    }
    const Json json = parse_json(owned_text(from.root(), PlanFile::kName), path.string());
    try {
        PlanFile plan = plan_from(json, folder);
        if (plan.is_worklist()) {
            plan.misses = misses_of(owned_text(from.root(), PlanFile::kWorklist),
                                    (folder / PlanFile::kWorklist).string());
        }
        if (plan.is_own()) {
            read_own(from.root(), plan);
        }
        const std::size_t count = plan.is_worklist() ? plan.misses.size() : plan.order.size();
        if (count != plan.order.size() || count == 0 || count > kMostProblems) {
            throw Error(ErrorKind::usage, "the number of problems is wrong");
        }
        return plan;
    } catch (const Error& error) {
        throw Error(ErrorKind::usage, fmt::format("{}: {}", path.string(), error.what()));
    }
}

SweepPlan planned_problems(const PlanFile& plan, const Log& log) {
    std::vector<CallRecord> misses = plan.misses;
    SweepPlan problems =
        plan.is_worklist() ? worklist_problems(misses, log) : ranked_problems(plan);
    if (plan_digest(plan, problems) != plan.digest) {
        throw Error(ErrorKind::usage,
                    fmt::format("the plan names other problems{} to this build than to that which "
                                "made it: work on it with the same version of jitune, or plan "
                                "again",
                                plan.own ? ", or holds another template," : ""));
    }
    return problems;
}

SweepPlan unranked_problems(const PlanFile& plan) {
    if (plan.is_own() && !plan.own) {
        throw Error(ErrorKind::usage, plan.why_no_own);
    }
    if (plan.own) {
        return kernel_problems(kernel_of(plan.own->code), plan.own->problems);
    }
    const SweepFamily& family = sweep_family(plan.kernel);
    return family.plan(sweep_arguments(family, plan.search.problems));
}

std::string plan_digest(const PlanFile& plan, const SweepPlan& problems) {
    Hasher hasher("plan");
    for (const PlannedProblem& one : problems.problems) {
        hasher.text(one.problem.name);
    }
    if (plan.own) {
        hasher.text(problems.code).text(json_text(template_json(*plan.own)));
    }
    return hex(hasher.digest());
}

ClaimScope scope_of(const PlanFile& plan, const std::string& device_class) {
    ClaimScope scope{plan.order.size(), shards_for(plan.order.size())};
    if (plan.is_worklist()) {
        scope.is_wanted = [&plan, device_class](std::size_t rank) {
            return plan.misses[rank].key.device_class == device_class;
        };
    }
    return scope;
}

}  // namespace jitune::internal
