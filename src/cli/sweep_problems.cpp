// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_problems.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/reduce_shape.hpp"
#include "cli/reduce_words.hpp"
#include "families/reduce/reduce_call.hpp"
#include "families/reduce/reduce_types.hpp"

namespace jitune::internal {

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

}  // namespace

std::vector<detail::ReduceRequest> sweep_problems(const SweepWords& words) {
    const ReduceKind kind = parse_reduce_kind(words.shape);
    const auto shapes = parse_shapes(kind, words.sizes.empty() ? default_sizes(kind) : words.sizes);
    const auto ops = parse_named_ops(words.ops);
    const Determinism determinism = parse_unpinned(words.determinism);
    std::vector<detail::ReduceRequest> problems;
    for (const ElementType type : parse_element_types(words.types)) {
        for (const ReduceOp op : ops) {
            const ElementType result = parse_result(type, op, words.result);
            for (const detail::ReduceShape& shape : shapes) {
                problems.push_back({type, result, Reduction(op, determinism), shape});
            }
        }
    }
    return problems;
}

bool has_own_result(const detail::ReduceRequest& problem) {
    return problem.result == results_of(problem.element, problem.reduction.op).front();
}

std::string problem_text(const detail::ReduceRequest& problem) {
    std::string text =
        fmt::format("{} {}", to_string(problem.element), to_string(problem.reduction.op));
    if (!has_own_result(problem)) {
        text += fmt::format(" to {}", to_string(problem.result));
    }
    if (problem.shape.kind != ReduceKind::all) {
        text += fmt::format(" {}", to_string(problem.shape.kind));
    }
    return text + " " + size_text(problem.shape);
}

SweepPlan reduce_plan(const SweepWords& words) {
    const auto requests = sweep_problems(words);
    const bool results = !std::all_of(requests.begin(), requests.end(), has_own_result);
    SweepPlan plan{"reduce",
                   {{"determinism", words.determinism}},
                   {{"type"}, {"op"}, {"shape"}, {"size", Align::right}},
                   {}};
    if (results) {
        plan.columns.insert(plan.columns.begin() + 2, Column{"result"});
    }
    for (const detail::ReduceRequest& request : requests) {
        const ReduceKind kind = request.shape.kind;
        const auto kernel = [kind](const Device& device) -> const Kernel& {
            return reduce_kernel(kind, device.info().platform);
        };
        plan.problems.push_back({reduce_problem(request), kernel, problem_text(request),
                                 cells_of(request, results), json_of(request),
                                 bytes_moved(request)});
    }
    return plan;
}

}  // namespace jitune::internal
