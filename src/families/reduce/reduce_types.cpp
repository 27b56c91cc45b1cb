// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_types.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "types/element_names.hpp"
#include "types/element_visit.hpp"
#include "types/name_table.hpp"

namespace jitune::internal {

namespace {

constexpr std::array kOps{
    ReduceOpRow{ReduceOp::sum, "sum", ResultKind::reduced, Nothing::zero, TrialData::mirrored,
                Rounding::sum, Decisive::none, ReduceOp::sum},
    ReduceOpRow{ReduceOp::product, "product", ResultKind::reduced, Nothing::one, TrialData::factors,
                Rounding::exact, Decisive::none, ReduceOp::product},
    ReduceOpRow{ReduceOp::min, "min", ResultKind::reduced, Nothing::highest, TrialData::moderate,
                Rounding::exact, Decisive::smallest, ReduceOp::min},
    ReduceOpRow{ReduceOp::max, "max", ResultKind::reduced, Nothing::lowest, TrialData::moderate,
                Rounding::exact, Decisive::largest, ReduceOp::max},
    ReduceOpRow{ReduceOp::arg_min, "arg_min", ResultKind::index, Nothing::refused,
                TrialData::moderate, Rounding::exact, Decisive::smallest, ReduceOp::arg_min},
    ReduceOpRow{ReduceOp::arg_max, "arg_max", ResultKind::index, Nothing::refused,
                TrialData::moderate, Rounding::exact, Decisive::largest, ReduceOp::arg_max},
    ReduceOpRow{ReduceOp::mean, "mean", ResultKind::average, Nothing::nan, TrialData::mirrored,
                Rounding::mean, Decisive::none, ReduceOp::sum},
    ReduceOpRow{ReduceOp::sum_of_squares, "sum_of_squares", ResultKind::reduced, Nothing::zero,
                TrialData::squares, Rounding::magnitudes, Decisive::none, ReduceOp::sum},
    ReduceOpRow{ReduceOp::norm, "norm", ResultKind::real, Nothing::zero, TrialData::squares,
                Rounding::root, Decisive::none, ReduceOp::norm},
    ReduceOpRow{ReduceOp::sum_abs, "sum_abs", ResultKind::reduced, Nothing::zero,
                TrialData::magnitudes, Rounding::magnitudes, Decisive::none, ReduceOp::sum},
    ReduceOpRow{ReduceOp::max_abs, "max_abs", ResultKind::reduced, Nothing::zero,
                TrialData::moderate, Rounding::exact, Decisive::largest_magnitude,
                ReduceOp::max_abs},
    ReduceOpRow{ReduceOp::all, "all", ResultKind::truth, Nothing::one, TrialData::nonzero,
                Rounding::exact, Decisive::none, ReduceOp::all},
    ReduceOpRow{ReduceOp::any, "any", ResultKind::truth, Nothing::zero, TrialData::zeros,
                Rounding::exact, Decisive::none, ReduceOp::any},
    ReduceOpRow{ReduceOp::count_nonzero, "count_nonzero", ResultKind::count, Nothing::zero,
                TrialData::mixed, Rounding::exact, Decisive::none, ReduceOp::sum},
    ReduceOpRow{ReduceOp::custom, "custom", ResultKind::custom, Nothing::refused, TrialData::small,
                Rounding::inexact, Decisive::none, std::nullopt},
};
static_assert(is_complete(kOps, ReduceOp::custom), "a row for each operation, in their order");
constexpr std::string_view kWhatOp = "a reduction operation";

struct DeterminismRow {
    Determinism value;
    std::string_view name;
};
constexpr std::array kDeterminisms{
    DeterminismRow{Determinism::run_to_run, "run_to_run"},
    DeterminismRow{Determinism::any, "any"},
    DeterminismRow{Determinism::pinned, "pinned"},
};
static_assert(is_complete(kDeterminisms, Determinism::pinned));
constexpr std::string_view kWhatDeterminism = "a kind of determinism";

bool is_integer(ElementType type) {
    return visit_element(type, []<class T>(T) { return std::is_integral_v<T>; });
}

/// The C++ type that a caller names to get a result of this type.
std::string result_name(ElementType result, ResultKind kind) {
    switch (result) {
        case ElementType::float32:
            return "float";
        case ElementType::float64:
            return "double";
        case ElementType::float16:
        case ElementType::bfloat16:
            return fmt::format("jitune::{}", to_string(result));
        default:
            return kind == ResultKind::truth ? "bool" : fmt::format("std::{}_t", to_string(result));
    }
}

ElementType reduced(ElementType element) {
    return visit_element(element, []<class T>(T) { return kElementType<ReducedType<T>>; });
}

/// The type of 64 bits that holds every value of a reduced type.
ElementType widest(ElementType reduced) {
    switch (reduced) {
        case ElementType::int32:
            return ElementType::int64;
        case ElementType::uint32:
            return ElementType::uint64;
        case ElementType::float32:
            return ElementType::float64;
        default:
            return reduced;
    }
}

/// Whether results of the element's own 8 or 16 bits lose no more than one rounding: floats, which
/// are combined in float32, and extremes.
bool has_narrow_result(ElementType element, const ReduceOpRow& operation) {
    const bool is_extreme = operation.value == ReduceOp::min || operation.value == ReduceOp::max;
    return bytes_of(element) < bytes_of(reduced(element)) && (is_extreme || !is_integer(element));
}

[[noreturn]] void refuse_result(ElementType element, ReduceOp op, ElementType result) {
    const ResultKind kind = operation_row(op).kind;
    std::string types;
    std::string calls;
    for (const ElementType type : results_of(element, op)) {
        const std::string_view joint = types.empty() ? "" : " or ";
        types += fmt::format("{}{}", joint, to_string(type));
        calls += fmt::format("{}tuned_reduce<{}>", joint, result_name(type, kind));
    }
    throw Error(ErrorKind::usage,
                fmt::format("{} of {} gives {}, not {}: ask for {}", to_string(op),
                            to_string(element), types, to_string(result), calls));
}

template <class R>
R value_of(Nothing nothing) {
    using Limits = std::numeric_limits<R>;
    switch (nothing) {
        case Nothing::one:
            return R{1};
        case Nothing::highest:
            return Limits::has_infinity ? Limits::infinity() : Limits::max();
        case Nothing::lowest:
            return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
        case Nothing::nan:
            return Limits::quiet_NaN();
        default:
            return R{0};
    }
}

}  // namespace

std::span<const ReduceOpRow> reduce_operations() {
    return kOps;
}

const ReduceOpRow& operation_row(ReduceOp op) {
    return row_of(kOps, op, kWhatOp);
}

std::vector<ElementType> results_of(ElementType element, ReduceOp op) {
    const ElementType usual = reduced(element);
    const ReduceOpRow& operation = operation_row(op);
    const ResultKind kind = operation.kind;
    if (kind == ResultKind::index || kind == ResultKind::count) {
        return {ElementType::int64};
    }
    if (kind == ResultKind::truth) {
        return {ElementType::uint8};
    }
    if ((kind == ResultKind::average || kind == ResultKind::real) && is_integer(element)) {
        return {ElementType::float64};
    }
    if (kind == ResultKind::custom) {
        std::vector<ElementType> all{ElementType::float32};
        std::copy_if(element_types().begin(), element_types().end(), std::back_inserter(all),
                     [](ElementType type) { return type != ElementType::float32; });
        return all;
    }
    std::vector<ElementType> results{usual};
    if (widest(usual) != usual) {
        results.push_back(widest(usual));
    }
    if (has_narrow_result(element, operation)) {
        results.push_back(element);
    }
    return results;
}

ElementType accumulator_of(ElementType element, ReduceOp op, ElementType result) {
    const auto results = results_of(element, op);
    if (std::find(results.begin(), results.end(), result) == results.end()) {
        refuse_result(element, op, result);
    }
    switch (operation_row(op).kind) {
        case ResultKind::index:
            return reduced(element);
        case ResultKind::truth:
            return ElementType::uint32;
        case ResultKind::custom:
            return ElementType::float32;
        case ResultKind::average:
            if (is_integer(element)) {
                return widest(reduced(element));
            }
            [[fallthrough]];
        default:
            return bytes_of(result) < bytes_of(reduced(element)) ? reduced(element) : result;
    }
}

std::array<std::byte, 8> value_of_nothing(ReduceOp op, ElementType result) {
    const Nothing nothing = operation_row(op).nothing;
    if (nothing == Nothing::refused) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} of no elements is undefined: give at least one element",
                                to_string(op)));
    }
    std::array<std::byte, 8> bytes{};
    visit_element(result, [&]<class R>(R) {
        const R value(value_of<std::conditional_t<std::is_arithmetic_v<R>, R, float>>(nothing));
        std::memcpy(bytes.data(), &value, sizeof value);
    });
    return bytes;
}

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;

std::string_view to_string(ReduceOp op) {
    return operation_row(op).name;
}

ReduceOp parse_reduce_op(std::string_view name) {
    return parse_name(kOps, name, kWhatOp);
}

std::string_view to_string(Determinism determinism) {
    return row_of(kDeterminisms, determinism, kWhatDeterminism).name;
}

Determinism parse_determinism(std::string_view name) {
    return parse_name(kDeterminisms, name, kWhatDeterminism);
}

JITUNE_END_NAMESPACE
