#include "cli/sweep_problems.hpp"

#include <fmt/format.h>

#include "cli/reduce_shape.hpp"
#include "cli/reduce_words.hpp"
#include "ops/reduce_types.hpp"

namespace jitune {

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

}  // namespace jitune
