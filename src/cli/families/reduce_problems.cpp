// SPDX-License-Identifier: Apache-2.0
#include "cli/families/reduce_problems.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/families/sizes.hpp"
#include "families/families.hpp"
#include "families/reduce/reduce_call.hpp"
#include "families/reduce/reduce_types.hpp"
#include "jitune/error.hpp"
#include "text/units.hpp"
#include "types/element_names.hpp"
#include "types/name_table.hpp"

namespace jitune::internal {

namespace reduce_problems {

namespace {

// 2^26 elements, from wide to narrow.
constexpr std::string_view kMatrices =
    "2^2x2^24,2^6x2^20,2^10x2^16,2^14x2^12,2^16x2^10,2^18x2^8,2^20x2^6,2^22x2^4,2^24x2^2";

struct KindRow {
    ReduceKind value;
    std::string_view name;
    std::string_view sizes;
};
constexpr std::array kKinds{
    KindRow{ReduceKind::all, "all", "2^10..2^28"},
    KindRow{ReduceKind::rows, "rows", kMatrices},
    KindRow{ReduceKind::columns, "columns", kMatrices},
    KindRow{ReduceKind::segments, "segments",
            "2^6x2^26,2^10x2^26,2^14x2^26,2^16x2^26,2^18x2^26,2^20x2^26,2^22x2^26"},
};
constexpr std::string_view kWhat = "a shape";

detail::ReduceShape shape_of(ReduceKind kind, std::int64_t outer, std::int64_t inner) {
    const detail::ReduceShape shape{kind, outer, inner};
    refuse_bad_shape(shape);
    return shape;
}

template <class Enum>
std::vector<std::string> names(const std::vector<Enum>& values) {
    std::vector<std::string> names;
    for (const Enum value : values) {
        names.emplace_back(to_string(value));
    }
    return names;
}

const auto& all_named_ops() {
    static const auto ops = [] {
        std::vector<ReduceOp> named;
        for (const ReduceOpRow& row : reduce_operations()) {
            if (row.kind != ResultKind::custom) {
                named.push_back(row.value);
            }
        }
        return named;
    }();
    return ops;
}

std::vector<std::string> op_names() {
    return names(all_named_ops());
}

/// Values separated by commas, or "all".
template <class Value>
std::vector<Value> parse_values(const char* option, std::string_view text,
                                std::span<const Value> all, Value (*parse)(std::string_view)) {
    if (text == "all") {
        return {all.begin(), all.end()};
    }
    std::vector<Value> values;
    for (const std::string& name : parse_list(option, text)) {
        values.push_back(parse(name));
    }
    return values;
}

/// The sizes of a sweep without --sizes, as parse_shapes() reads them.
std::string_view default_sizes(ReduceKind kind) {
    return row_of(kKinds, kind, kWhat).sizes;
}

/// Shapes and ranges of them, as parse_sizes() and parse_size_pairs() read them.
std::vector<ShapeSpan> parse_shapes(ReduceKind kind, std::string_view sizes) {
    std::vector<ShapeSpan> shapes;
    if (kind == ReduceKind::all) {
        for (const SizeSpan& span : parse_sizes(sizes)) {
            shapes.push_back({shape_of(kind, 1, span.first), shape_of(kind, 1, span.last)});
        }
        return shapes;
    }
    for (const auto& [first, last] : parse_size_pairs(sizes)) {
        shapes.push_back(
            {shape_of(kind, first.outer, first.inner), shape_of(kind, last.outer, last.inner)});
    }
    return shapes;
}

/// "2^20" or "2^10x2^16".
std::string shape_text(const detail::ReduceShape& shape) {
    const std::string inner = size_text(shape.inner);
    return shape.kind == ReduceKind::all ? inner
                                         : fmt::format("{}x{}", size_text(shape.outer), inner);
}

std::string shape_text(const ShapeSpan& span) {
    return span_text(shape_text(span.first), shape_text(span.last));
}

double elements(const detail::ReduceShape& shape) {
    const auto inner = static_cast<double>(shape.inner);
    const bool matrix = shape.kind == ReduceKind::rows || shape.kind == ReduceKind::columns;
    return matrix ? static_cast<double>(shape.outer) * inner : inner;
}

/// "2^10..2^28", "16x16..2^16x2^16 by 8 bytes": of rows, those that are aligned so.
std::string sizes_text(const SweptReduction& reduction) {
    const ReduceKind kind = reduction.request.shape.kind;
    const bool aligned =
        reduction.shapes.is_range() && (kind == ReduceKind::rows || kind == ReduceKind::columns);
    return shape_text(reduction.shapes) +
           (aligned ? fmt::format(" by {} bytes", row_alignment(reduction.request)) : "");
}

Json json_of(const SweptReduction& reduction) {
    const auto& [element, result, operation, shape] = reduction.request;
    Json json{{"type", to_string(element)},
              {"op", to_string(operation.op)},
              {"result", to_string(result)},
              {"shape", to_string(shape.kind)}};
    const auto put = [](Json& into, const detail::ReduceShape& one) {
        if (one.kind == ReduceKind::rows || one.kind == ReduceKind::columns) {
            into["rows"] = one.outer;
            into["columns"] = one.inner;
        } else if (one.kind == ReduceKind::segments) {
            into["segments"] = one.outer;
        }
        into["n"] = static_cast<std::int64_t>(elements(one));
    };
    put(json, reduction.shapes.first);
    if (reduction.shapes.is_range()) {
        put(json["last"], reduction.shapes.last);
        json["alignment"] = row_alignment(reduction.request);
    }
    return json;
}

Table::Cells cells_of(const SweptReduction& reduction, bool results) {
    const auto& [element, result, operation, shape] = reduction.request;
    Table::Cells cells{std::string(to_string(element)), std::string(to_string(operation.op))};
    if (results) {
        cells.emplace_back(has_own_result(reduction.request) ? "" : to_string(result));
    }
    cells.emplace_back(to_string(shape.kind));
    cells.push_back(sizes_text(reduction));
    return cells;
}

PlannedProblem problem_of(const SweptReduction& reduction, bool results) {
    const ReduceKind kind = reduction.request.shape.kind;
    const auto kernel = [kind](const Device& device) -> const Kernel& {
        return reduce_kernel(kind, device.info().platform);
    };
    Problem problem = reduce_problem(reduction.request);
    const double bytes = launch_bytes(problem).value_or(0);
    PlannedProblem planned{{std::move(problem), kernel, reduction_text(reduction), bytes},
                           cells_of(reduction, results),
                           json_of(reduction)};
    if (reduction.shapes.is_range()) {
        const auto& [first, last] = reduction.shapes;
        planned.problem.domain =
            kind == ReduceKind::all ? SizeBox{{first.inner}, {last.inner}}
                                    : SizeBox{{first.outer, first.inner}, {last.outer, last.inner}};
    }
    return planned;
}

/// One for each alignment that rows of the range may have: kernels for wide loads serve some column
/// counts alone.
std::vector<SweptReduction> by_alignment(const SweptReduction& reduction) {
    const detail::ReduceShape& last = reduction.shapes.last;
    std::vector<SweptReduction> all;
    std::set<std::size_t> known;
    SweptReduction one = reduction;
    for (int i = 0; i < 16 && one.request.shape.inner <= last.inner; ++i) {
        if (known.insert(row_alignment(one.request)).second) {
            all.push_back(one);
        }
        ++one.request.shape.inner;
    }
    return all;
}

SweepPlan plan_of(const FamilyArguments& arguments) {
    const auto reductions = swept_reductions(arguments);
    const bool results =
        !std::all_of(reductions.begin(), reductions.end(),
                     [](const SweptReduction& one) { return has_own_result(one.request); });
    SweepPlan plan{"reduce",
                   {{"determinism", arguments.at("--determinism")}},
                   {{"type"}, {"op"}, {"shape"}, {"size", Align::right}},
                   {}};
    if (results) {
        plan.columns.insert(plan.columns.begin() + 2, Column{"result"});
    }
    for (const SweptReduction& reduction : reductions) {
        plan.problems.push_back(problem_of(reduction, results));
    }
    return plan;
}

std::vector<FamilyArgument> arguments() {
    std::vector<std::string> types;
    for (const ElementType type : element_types()) {
        types.emplace_back(to_string(type));
    }
    const std::vector<std::string> shapes{"all", "rows", "columns", "segments"};
    const std::vector<std::string> determinism{"run_to_run", "any"};
    return {
        {{"--types", "float32", "Element types by comma, or all [float32]", types}},
        {{"--ops", "sum", fmt::format("Of {}, by comma, or all [sum]", named_ops()), op_names()},
         {{"--op", "sum", fmt::format("Of a reduction: {} [sum]", named_ops()), op_names()}}},
        {{"--result", "", "Type of the result [the operation's own]"},
         {{"--result", "", "Type of its result [the operation's own]"}}},
        {{"--determinism", "run_to_run", "run_to_run or any [run_to_run]", determinism},
         {{"--determinism", "run_to_run", "run_to_run or any [run_to_run]", determinism}}},
        {{"--shape", "all", "all, rows, columns or segments [all]", shapes},
         {{"--shape", "all", "all, rows, columns or segments [all]", shapes}}},
        {{"--sizes", "",
          "As in 1000,2^20+7, 2^10..2^28 for every size between, or 2^10..2^28*2, which doubles; "
          "for other shapes as in 1024x65536 or 16x16..2^16x2^16, rows x columns or segments x "
          "elements [2^10..2^28, or matrices of 2^26]"}}};
}

}  // namespace

}  // namespace reduce_problems

std::string_view to_string(ReduceKind kind) {
    return row_of(reduce_problems::kKinds, kind, reduce_problems::kWhat).name;
}

ReduceKind parse_reduce_kind(std::string_view name) {
    return parse_name(reduce_problems::kKinds, name, reduce_problems::kWhat);
}

ReduceOp parse_named_op(std::string_view name) {
    const ReduceOp op = parse_reduce_op(name);
    if (op == ReduceOp::custom) {
        throw Error(
            ErrorKind::usage,
            fmt::format("\"custom\" is not a built-in operation: jitune reduce takes your own with "
                        "--custom FILE.toml; built-in ones are {}",
                        named_ops()));
    }
    return op;
}

std::string named_ops() {
    return fmt::format("{}", fmt::join(reduce_problems::op_names(), ", "));
}

ElementType parse_result(ElementType element, ReduceOp op, std::string_view name) {
    const auto results = results_of(element, op);
    if (name.empty()) {
        return results.front();
    }
    const ElementType result = parse_element_type(name);
    if (std::find(results.begin(), results.end(), result) == results.end()) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} of {} has no result of type {}: use one of {}", to_string(op),
                                to_string(element), name,
                                fmt::join(reduce_problems::names(results), ", ")));
    }
    return result;
}

Determinism parse_unpinned(std::string_view name) {
    const Determinism determinism = parse_determinism(name);
    if (determinism == Determinism::pinned) {
        throw Error(ErrorKind::usage,
                    "\"pinned\" needs a configuration: use jitune reduce --configuration, or "
                    "run_to_run or any");
    }
    return determinism;
}

SweepFamily reduce_sweep_family() {
    return {"reduce", "Sums, extremes, means and more of arrays, rows, columns and segments",
            reduce_problems::arguments(), reduce_problems::plan_of};
}

std::vector<SweptReduction> swept_reductions(const FamilyArguments& arguments) {
    const ReduceKind kind = parse_reduce_kind(arguments.at("--shape"));
    const std::string& sizes = arguments.at("--sizes");
    const auto shapes = reduce_problems::parse_shapes(
        kind, sizes.empty() ? reduce_problems::default_sizes(kind) : sizes);
    const auto ops = reduce_problems::parse_values<ReduceOp>(
        "--ops", arguments.at("--ops"), reduce_problems::all_named_ops(), parse_named_op);
    const Determinism determinism = parse_unpinned(arguments.at("--determinism"));
    std::vector<SweptReduction> reductions;
    for (const ElementType type : reduce_problems::parse_values<ElementType>(
             "--types", arguments.at("--types"), element_types(), parse_element_type)) {
        for (const ReduceOp op : ops) {
            const ElementType result = parse_result(type, op, arguments.at("--result"));
            for (const ShapeSpan& shape : shapes) {
                const SweptReduction one{{type, result, Reduction(op, determinism), shape.first},
                                         shape};
                const auto parts = shape.is_range() ? reduce_problems::by_alignment(one)
                                                    : std::vector<SweptReduction>{one};
                reductions.insert(reductions.end(), parts.begin(), parts.end());
            }
        }
    }
    return reductions;
}

bool has_own_result(const detail::ReduceRequest& request) {
    return request.result == results_of(request.element, request.reduction.op).front();
}

std::string reduction_text(const SweptReduction& reduction) {
    const detail::ReduceRequest& request = reduction.request;
    std::string text =
        fmt::format("{} {}", to_string(request.element), to_string(request.reduction.op));
    if (!has_own_result(request)) {
        text += fmt::format(" to {}", to_string(request.result));
    }
    if (request.shape.kind != ReduceKind::all) {
        text += fmt::format(" {}", to_string(request.shape.kind));
    }
    return text + " " + reduce_problems::sizes_text(reduction);
}

}  // namespace jitune::internal
