// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/problem.hpp"

#include <array>
#include <bit>

#include <fmt/format.h>

namespace jitune::bench {

namespace {

struct ElementRow {
    bool is_float;
    ElementType reduced;
};

/// By ElementType.
constexpr std::array<ElementRow, 12> kElements{{{false, ElementType::int32},
                                                {false, ElementType::uint32},
                                                {false, ElementType::int32},
                                                {false, ElementType::uint32},
                                                {false, ElementType::int32},
                                                {false, ElementType::uint32},
                                                {false, ElementType::int64},
                                                {false, ElementType::uint64},
                                                {true, ElementType::float32},
                                                {true, ElementType::float32},
                                                {true, ElementType::float32},
                                                {true, ElementType::float64}}};

}  // namespace

std::string_view to_string(Shape shape) {
    constexpr std::array<std::string_view, 6> kNames{"flat",     "rows",   "columns",
                                                     "segments", "skewed", "hoarded"};
    return kNames.at(static_cast<std::size_t>(shape));
}

double Problem::bytes() const {
    const double offsets = ragged() ? static_cast<double>((outer + 1) * sizeof(std::int64_t)) : 0;
    return static_cast<double>(elements() * bytes_of(element)) + offsets +
           static_cast<double>(results() * bytes_of(result_type(element, op)));
}

std::string_view op_name(ReduceOp op) {
    return op == ReduceOp::custom ? "log_sum_exp" : to_string(op);
}

ElementType result_type(ElementType element, ReduceOp op) {
    const ElementRow& row = kElements.at(static_cast<std::size_t>(element));
    switch (op) {
        case ReduceOp::mean:
        case ReduceOp::norm:
            return row.is_float ? row.reduced : ElementType::float64;
        case ReduceOp::arg_min:
        case ReduceOp::arg_max:
        case ReduceOp::count_nonzero:
            return ElementType::int64;
        case ReduceOp::all:
        case ReduceOp::any:
            return ElementType::uint8;
        default:
            return row.reduced;
    }
}

std::string size_text(std::size_t size) {
    const std::size_t power = std::bit_floor(size);
    const std::size_t rest = size - power;
    if (size < 4 || rest > 99) {
        return fmt::format("{}", size);
    }
    const int exponent = std::countr_zero(power);
    return rest == 0 ? fmt::format("2^{}", exponent) : fmt::format("2^{}+{}", exponent, rest);
}

}  // namespace jitune::bench
