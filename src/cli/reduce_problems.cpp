// SPDX-License-Identifier: Apache-2.0
#include "cli/reduce_problems.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/reduce_arguments.hpp"
#include "cli/reduce_shape.hpp"
#include "families/reduce/reduce_call.hpp"
#include "families/reduce/reduce_types.hpp"

namespace jitune::internal {

namespace reduce_problems {

namespace {

double elements(const detail::ReduceShape& shape) {
    const auto inner = static_cast<double>(shape.inner);
    const bool matrix = shape.kind == ReduceKind::rows || shape.kind == ReduceKind::columns;
    return matrix ? static_cast<double>(shape.outer) * inner : inner;
}

double bytes_moved(const detail::ReduceRequest& request) {
    const auto& [element, result, reduction, shape] = request;
    const auto results = static_cast<double>(result_count(shape));
    const double offsets = shape.kind == ReduceKind::segments ? 8 * (results + 1) : 0;
    return elements(shape) * static_cast<double>(bytes_of(element)) +
           results * static_cast<double>(bytes_of(result)) + offsets;
}

Json json_of(const detail::ReduceRequest& request) {
    const auto& [element, result, reduction, shape] = request;
    Json json{{"type", to_string(element)},
              {"op", to_string(reduction.op)},
              {"result", to_string(result)},
              {"shape", to_string(shape.kind)}};
    if (shape.kind == ReduceKind::rows || shape.kind == ReduceKind::columns) {
        json["rows"] = shape.outer;
        json["columns"] = shape.inner;
    } else if (shape.kind == ReduceKind::segments) {
        json["segments"] = shape.outer;
    }
    json["n"] = static_cast<std::int64_t>(elements(shape));
    return json;
}

Table::Cells cells_of(const detail::ReduceRequest& request, bool results) {
    const auto& [element, result, reduction, shape] = request;
    Table::Cells cells{std::string(to_string(element)), std::string(to_string(reduction.op))};
    if (results) {
        cells.emplace_back(has_own_result(request) ? "" : to_string(result));
    }
    cells.emplace_back(to_string(shape.kind));
    cells.push_back(size_text(shape));
    return cells;
}

PlannedProblem problem_of(const detail::ReduceRequest& request, bool results) {
    const ReduceKind kind = request.shape.kind;
    const auto kernel = [kind](const Device& device) -> const Kernel& {
        return reduce_kernel(kind, device.info().platform);
    };
    return {{reduce_problem(request), kernel, request_text(request), bytes_moved(request)},
            cells_of(request, results),
            json_of(request)};
}

SweepPlan plan_of(const FamilyArguments& arguments) {
    const auto requests = reduce_requests(arguments);
    const bool results = !std::all_of(requests.begin(), requests.end(), has_own_result);
    SweepPlan plan{"reduce",
                   {{"determinism", arguments.at("--determinism")}},
                   {{"type"}, {"op"}, {"shape"}, {"size", Align::right}},
                   {}};
    if (results) {
        plan.columns.insert(plan.columns.begin() + 2, Column{"result"});
    }
    for (const detail::ReduceRequest& request : requests) {
        plan.problems.push_back(problem_of(request, results));
    }
    return plan;
}

std::vector<FamilyArgument> arguments() {
    return {{{"--types", "float32", "Element types by comma, or all [float32]"}},
            {{"--ops", "sum", fmt::format("Of {}, by comma, or all [sum]", named_ops())},
             {{"--op", "sum", fmt::format("Of a reduction: {} [sum]", named_ops())}}},
            {{"--result", "", "Type of the result [the operation's own]"},
             {{"--result", "", "Type of its result [the operation's own]"}}},
            {{"--determinism", "run_to_run", "run_to_run or any [run_to_run]"},
             {{"--determinism", "run_to_run", "run_to_run or any [run_to_run]"}}},
            {{"--shape", "all", "all, rows, columns or segments [all]"},
             {{"--shape", "all", "all, rows, columns or segments [all]"}}},
            {{"--sizes", "",
              "As in 1000,2^20+7 or 2^10..2^28, which doubles; for other shapes as in "
              "1024x65536,2^20x2^6, rows x columns or segments x elements "
              "[2^10..2^28, or matrices of 2^26]"}}};
}

}  // namespace

}  // namespace reduce_problems

SweepFamily reduce_sweep_family() {
    return {"reduce", "Sums, extremes, means and more of arrays, rows, columns and segments",
            reduce_problems::arguments(), reduce_problems::plan_of};
}

std::vector<detail::ReduceRequest> reduce_requests(const FamilyArguments& arguments) {
    const ReduceKind kind = parse_reduce_kind(arguments.at("--shape"));
    const std::string& sizes = arguments.at("--sizes");
    const auto shapes = parse_shapes(kind, sizes.empty() ? default_sizes(kind) : sizes);
    const auto ops = parse_named_ops(arguments.at("--ops"));
    const Determinism determinism = parse_unpinned(arguments.at("--determinism"));
    std::vector<detail::ReduceRequest> requests;
    for (const ElementType type : parse_element_types(arguments.at("--types"))) {
        for (const ReduceOp op : ops) {
            const ElementType result = parse_result(type, op, arguments.at("--result"));
            for (const detail::ReduceShape& shape : shapes) {
                requests.push_back({type, result, Reduction(op, determinism), shape});
            }
        }
    }
    return requests;
}

bool has_own_result(const detail::ReduceRequest& request) {
    return request.result == results_of(request.element, request.reduction.op).front();
}

std::string request_text(const detail::ReduceRequest& request) {
    std::string text =
        fmt::format("{} {}", to_string(request.element), to_string(request.reduction.op));
    if (!has_own_result(request)) {
        text += fmt::format(" to {}", to_string(request.result));
    }
    if (request.shape.kind != ReduceKind::all) {
        text += fmt::format(" {}", to_string(request.shape.kind));
    }
    return text + " " + size_text(request.shape);
}

}  // namespace jitune::internal
