// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/answer.hpp"

#include <cmath>
#include <cstring>

namespace jitune::bench {

namespace {

/// Sums of squares and magnitudes of 2^30 floats round, in any order by less than this.
constexpr double kRounded = 2e-5;
/// The fast exponentials and logarithms of log_sum_exp, over an answer of about 130.
constexpr double kTranscendental = 1e-4;

Answer integer(std::int64_t value) {
    return {false, value, 0, 0};
}

Answer real(double value, double tolerance) {
    return {true, 0, value, tolerance};
}

/// The 32-bit results wrap.
std::int64_t wrapped(ElementType type, std::int64_t value) {
    if (type == ElementType::int32) {
        return static_cast<std::int32_t>(value);
    }
    return type == ElementType::uint32
               ? static_cast<std::int64_t>(static_cast<std::uint32_t>(value))
               : value;
}

/// An operation whose exact answer is a whole number, in a result of either kind.
Answer whole(ElementType type, std::int64_t value, double tolerance = 0) {
    return type >= ElementType::float16 ? real(static_cast<double>(value), tolerance)
                                        : integer(wrapped(type, value));
}

double float_product(const Moments& moments) {
    const double magnitude = std::ldexp(1.0, static_cast<int>(moments.twos));
    return moments.negative % 2 == 0 ? magnitude : -magnitude;
}

template <class T>
Answer read_as(const std::byte* bytes) {
    T value{};
    std::memcpy(&value, bytes, sizeof value);
    if constexpr (std::is_floating_point_v<T>) {
        return real(static_cast<double>(value), 0);
    } else {
        return integer(static_cast<std::int64_t>(value));
    }
}

}  // namespace

Answer expected_answer(const Problem& problem, const Moments& moments) {
    const ElementType type = result_type(problem.element, problem.op);
    const auto n = static_cast<std::int64_t>(problem.elements());
    switch (problem.op) {
        case ReduceOp::sum:
            return whole(type, moments.sum);
        case ReduceOp::product:
            return type >= ElementType::float16
                       ? real(float_product(moments), 0)
                       : whole(type, static_cast<std::int64_t>(moments.product));
        case ReduceOp::min:
            return whole(type, moments.lowest);
        case ReduceOp::max:
            return whole(type, moments.highest);
        case ReduceOp::arg_min:
            return integer(moments.lowest_at);
        case ReduceOp::arg_max:
            return integer(moments.highest_at);
        case ReduceOp::mean:
            return real(static_cast<double>(moments.sum) / static_cast<double>(n), kRounded);
        case ReduceOp::sum_of_squares:
            return whole(type, moments.squares, kRounded);
        case ReduceOp::norm:
            return real(std::sqrt(static_cast<double>(moments.squares)), kRounded);
        case ReduceOp::sum_abs:
            return whole(type, moments.magnitudes, kRounded);
        case ReduceOp::max_abs:
            return whole(type, std::max(-moments.lowest, moments.highest));
        case ReduceOp::all:
            return integer(moments.nonzero == n ? 1 : 0);
        case ReduceOp::any:
            return integer(moments.nonzero > 0 ? 1 : 0);
        case ReduceOp::count_nonzero:
            return integer(moments.nonzero);
        case ReduceOp::custom:
            return real(std::log(moments.exponentials) + Moments::kExponentShift, kTranscendental);
        default:  // an operation that is not compared with CUB
            return {};
    }
}

Answer read_answer(ElementType type, const std::byte* bytes) {
    switch (type) {
        case ElementType::int32:
            return read_as<std::int32_t>(bytes);
        case ElementType::uint32:
            return read_as<std::uint32_t>(bytes);
        case ElementType::uint8:
            return read_as<std::uint8_t>(bytes);
        case ElementType::float32:
            return read_as<float>(bytes);
        case ElementType::float64:
            return read_as<double>(bytes);
        default:
            return read_as<std::int64_t>(bytes);
    }
}

bool agrees(const Answer& expected, const Answer& got) {
    if (expected.is_real) {
        return got.is_real &&
               std::abs(got.real - expected.real) <= expected.tolerance * std::abs(expected.real);
    }
    return !got.is_real && got.integer == expected.integer;
}

}  // namespace jitune::bench
