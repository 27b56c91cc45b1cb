// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_types.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "types/element_visit.hpp"
#include "types/name_table.hpp"

namespace jitune::internal {

namespace {

/// The kinds of result types of operations.
enum class Answer { reduced, average, index, truth, count, custom };

struct OpRow {
    ReduceOp value;
    std::string_view name;
    Answer answer;
};
constexpr std::array kOps{
    OpRow{ReduceOp::sum, "sum", Answer::reduced},
    OpRow{ReduceOp::product, "product", Answer::reduced},
    OpRow{ReduceOp::min, "min", Answer::reduced},
    OpRow{ReduceOp::max, "max", Answer::reduced},
    OpRow{ReduceOp::arg_min, "arg_min", Answer::index},
    OpRow{ReduceOp::arg_max, "arg_max", Answer::index},
    OpRow{ReduceOp::mean, "mean", Answer::average},
    OpRow{ReduceOp::sum_of_squares, "sum_of_squares", Answer::reduced},
    OpRow{ReduceOp::norm, "norm", Answer::average},
    OpRow{ReduceOp::sum_abs, "sum_abs", Answer::reduced},
    OpRow{ReduceOp::max_abs, "max_abs", Answer::reduced},
    OpRow{ReduceOp::all, "all", Answer::truth},
    OpRow{ReduceOp::any, "any", Answer::truth},
    OpRow{ReduceOp::count_nonzero, "count_nonzero", Answer::count},
    OpRow{ReduceOp::custom, "custom", Answer::custom},
};
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
constexpr std::string_view kWhatDeterminism = "a kind of determinism";

/// The C++ type that a caller names to get a result of this type.
struct ResultRow {
    ElementType value;
    std::string_view name;
};
constexpr std::array kResults{
    ResultRow{ElementType::float32, "float"},
    ResultRow{ElementType::float64, "double"},
    ResultRow{ElementType::int32, "std::int32_t"},
    ResultRow{ElementType::int64, "std::int64_t"},
    ResultRow{ElementType::uint32, "std::uint32_t"},
    ResultRow{ElementType::uint64, "std::uint64_t"},
    ResultRow{ElementType::uint8, "bool"},
};

std::string_view result_name(ElementType result) {
    return std::find_if(kResults.begin(), kResults.end(),
                        [&](const ResultRow& row) { return row.value == result; })
        ->name;
}

bool is_integer(ElementType type) {
    return visit_element(type, []<class T>(T) { return std::is_integral_v<T>; });
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

[[noreturn]] void refuse_result(ElementType element, ReduceOp op, ElementType result) {
    std::string types;
    std::string calls;
    for (const ElementType type : results_of(element, op)) {
        const std::string_view joint = types.empty() ? "" : " or ";
        types += fmt::format("{}{}", joint, to_string(type));
        calls += fmt::format("{}tuned_reduce<{}>", joint, result_name(type));
    }
    throw Error(ErrorKind::usage,
                fmt::format("{} of {} gives {}, not {}: ask for {}", to_string(op),
                            to_string(element), types, to_string(result), calls));
}

/// The value of no elements in a type that has one.
template <class R>
R nothing(ReduceOp op) {
    using Limits = std::numeric_limits<R>;
    switch (op) {
        case ReduceOp::product:
        case ReduceOp::all:
            return R{1};
        case ReduceOp::min:
            return Limits::has_infinity ? Limits::infinity() : Limits::max();
        case ReduceOp::max:
            return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
        case ReduceOp::mean:
            return Limits::quiet_NaN();
        default:
            return R{0};
    }
}

}  // namespace

std::vector<ElementType> results_of(ElementType element, ReduceOp op) {
    const ElementType narrow = reduced(element);
    const Answer answer = row_of(kOps, op, kWhatOp).answer;
    if (answer == Answer::index || answer == Answer::count) {
        return {ElementType::int64};
    }
    if (answer == Answer::truth) {
        return {ElementType::uint8};
    }
    if (answer == Answer::average && is_integer(element)) {
        return {ElementType::float64};
    }
    if (answer == Answer::custom) {
        std::vector<ElementType> all;
        for (const ResultRow& row : kResults) {
            all.push_back(row.value);
        }
        return all;
    }
    return narrow == widest(narrow) ? std::vector{narrow} : std::vector{narrow, widest(narrow)};
}

ElementType accumulator_of(ElementType element, ReduceOp op, ElementType result) {
    const auto results = results_of(element, op);
    if (std::find(results.begin(), results.end(), result) == results.end()) {
        refuse_result(element, op, result);
    }
    switch (row_of(kOps, op, kWhatOp).answer) {
        case Answer::index:
            return reduced(element);
        case Answer::truth:
            return ElementType::uint32;
        case Answer::custom:
            return ElementType::float32;
        default:
            return op == ReduceOp::mean && is_integer(element) ? widest(reduced(element)) : result;
    }
}

std::array<std::byte, 8> value_of_nothing(ReduceOp op, ElementType result) {
    const Answer answer = row_of(kOps, op, kWhatOp).answer;
    if (answer == Answer::index || answer == Answer::custom) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} of no elements is undefined: give at least one element",
                                to_string(op)));
    }
    std::array<std::byte, 8> bytes{};
    visit_element(result, [&]<class R>(R) {
        if constexpr (std::is_arithmetic_v<R>) {
            const R value = nothing<R>(op);
            std::memcpy(bytes.data(), &value, sizeof value);
        }
    });
    return bytes;
}

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;

std::string_view to_string(ReduceOp op) {
    return row_of(kOps, op, kWhatOp).name;
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
