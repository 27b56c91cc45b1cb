// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "jitune/stencil.hpp"

namespace jitune::internal {

/// The right outputs of a stencil of `n` inputs that repeat `pattern`. Sums are formed in float64,
/// for int32 in int64 (mean) or modulo 2^32. They are exact for int32, and for floats if every
/// partial sum is exact in float64.
template <StencilElement T>
class StencilReference {
public:
    /// `weights` are 2 * radius + 1, or empty; stencil.weights is not read.
    StencilReference(const Stencil& stencil, std::vector<T> weights, std::vector<T> pattern,
                     std::int64_t n)
        : stencil_(stencil),
          weights_(std::move(weights)),
          pattern_(std::move(pattern)),
          n_(n),
          reach_(stencil.boundary == Boundary::valid ? 0 : stencil.radius),
          inside_first_(std::min(reach_, outputs())),
          inside_end_(std::max(inside_first_, outputs() - reach_)) {
        const auto starts = std::min(inside_end_ - inside_first_, period());
        // Indexed by the place in the pattern of the first input of an output.
        cycle_.resize(static_cast<std::size_t>(period()));
        for (std::int64_t i = 0; i < starts; ++i) {
            cycle_[static_cast<std::size_t>(i)] = output(inside_first_ - reach_ + i);
        }
    }

    [[nodiscard]] std::int64_t outputs() const { return stencil_outputs(n_, stencil_); }

    /// Empty if `got` are the right outputs, else the first difference. All NaNs are equal; -0 is
    /// 0.
    [[nodiscard]] std::string compare(const T* got) const {
        std::string complaint = compare_edge(got, 0, inside_first_);
        for (std::int64_t o = inside_first_; o < inside_end_ && complaint.empty();) {
            const std::int64_t start = (o - reach_) % period();
            const std::int64_t count = std::min(period() - start, inside_end_ - o);
            complaint = compare_run(got + o, cycle_.data() + start, o, count);
            o += count;
        }
        return complaint.empty() ? compare_edge(got, inside_end_, outputs()) : complaint;
    }

    /// The output whose inputs begin at `first`, which may lie outside of [0, n).
    [[nodiscard]] T output(std::int64_t first) const {
        using Sum = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
        const std::int64_t count = 2 * stencil_.radius + 1;
        Sum sum = 0;
        for (std::int64_t j = 0; j < count; ++j) {
            const Sum value = input(first + j);
            const Sum weight = weights_.empty() ? 1 : weights_[static_cast<std::size_t>(j)];
            if constexpr (std::is_integral_v<T>) {  // the product of two int32 fits, the sum wraps
                sum = static_cast<Sum>(static_cast<std::uint64_t>(sum) +
                                       static_cast<std::uint64_t>(value * weight));
            } else {
                sum += value * weight;
            }
        }
        if (!stencil_.mean) {
            return static_cast<T>(sum);
        }
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(sum / count);
        } else {
            return static_cast<T>(sum) * (T(1) / static_cast<T>(count));
        }
    }

private:
    [[nodiscard]] std::int64_t period() const { return static_cast<std::int64_t>(pattern_.size()); }

    [[nodiscard]] T input(std::int64_t index) const {
        if (index < 0 || index >= n_) {
            switch (stencil_.boundary) {
                case Boundary::clamp:
                    index = index < 0 ? 0 : n_ - 1;
                    break;
                case Boundary::wrap:
                    index = (index % n_ + n_) % n_;
                    break;
                default:
                    return T(0);
            }
        }
        return pattern_[static_cast<std::size_t>(index % period())];
    }

    static bool same(T got, T wanted) {
        if constexpr (std::is_floating_point_v<T>) {
            return got == wanted || (std::isnan(got) && std::isnan(wanted));
        } else {
            return got == wanted;
        }
    }

    static std::string message(std::int64_t output, T got, T wanted) {
        return fmt::format("output {} is {}, expected {}", output, got, wanted);
    }

    [[nodiscard]] std::string compare_edge(const T* got, std::int64_t first,
                                           std::int64_t end) const {
        for (std::int64_t o = first; o < end; ++o) {
            const T wanted = output(o - reach_);
            if (!same(got[o], wanted)) {
                return message(o, got[o], wanted);
            }
        }
        return {};
    }

    static std::string compare_run(const T* got, const T* wanted, std::int64_t first,
                                   std::int64_t count) {
        const auto size = static_cast<std::size_t>(count);
        if (std::memcmp(got, wanted, size * sizeof(T)) == 0) {
            return {};
        }
        for (std::size_t i = 0; i < size; ++i) {
            if (!same(got[i], wanted[i])) {
                return message(first + static_cast<std::int64_t>(i), got[i], wanted[i]);
            }
        }
        return {};
    }

    Stencil stencil_;
    std::vector<T> weights_;
    std::vector<T> pattern_;
    std::int64_t n_;
    std::int64_t reach_;
    std::int64_t inside_first_, inside_end_;  ///< outputs that need no input from outside
    std::vector<T> cycle_;
};

}  // namespace jitune::internal
