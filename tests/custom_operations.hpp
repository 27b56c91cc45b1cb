#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "jitune/reduction.hpp"

/// Operations of a caller's own, for every backend.
namespace jitune {

/// log(sum(exp(x))) in one pass. `exp` and `log` name the functions of the backend's compiler.
inline CustomOperation log_sum_exp(const std::string& exp, const std::string& log) {
    CustomOperation operation;
    operation.name = "log_sum_exp";
    operation.definitions = "struct Pair { float top, sum; };";
    operation.state = "Pair";
    operation.identity = "Pair{-1e38f, 0.0f}";
    operation.map = "Pair{x, 1.0f}";
    operation.combine = "a.top < b.top ? Pair{b.top, b.sum + a.sum * " + exp +
                        "(a.top - b.top)}\n : Pair{a.top, a.sum + b.sum * " + exp +
                        "(b.top - a.top)}";
    operation.finish = "a.top + " + log + "(a.sum)";
    operation.tolerance = 1e-4;
    return operation;
}

inline double log_sum_exp_of(const std::vector<float>& values) {
    double sum = 0;
    for (const float value : values) {
        sum += std::exp(static_cast<double>(value));
    }
    return std::log(sum);
}

/// Multiples of 1/64 in [-8, 8).
inline std::vector<float> logits(std::size_t n) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<float>(i * 2654435761u >> 5 & 1023) / 64 - 8;
    }
    return values;
}

/// Every bit of every element at its index counts: a parity that is the same in every order.
inline CustomOperation indexed_xor() {
    CustomOperation operation;
    operation.name = "indexed_xor";
    operation.state = "unsigned long long";
    operation.identity = "0";
    operation.map = "(static_cast<unsigned long long>(i) << 32) ^ static_cast<unsigned>(x)";
    operation.combine = "a ^ b";
    operation.finish = "a + n";
    operation.result = ElementType::uint64;
    operation.tolerance = 0;
    return operation;
}

template <class T>
std::uint64_t indexed_xor_of(const std::vector<T>& values) {
    std::uint64_t state = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        state ^= (std::uint64_t{i} << 32) ^ static_cast<std::uint32_t>(values[i]);
    }
    return state + values.size();
}

template <class T>
std::vector<T> any_bits(std::size_t n) {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<T>(i * 0x9e3779b97f4a7c15u >> 23);
    }
    return values;
}

}  // namespace jitune
