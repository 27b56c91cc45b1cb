// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_plants.hpp"

#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "families/reduce/reduce_types.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal {

namespace {

bool is_arg(ReduceOp op) {
    return operation_row(op).kind == ResultKind::index;
}

bool prefers_small(ReduceOp op) {
    return operation_row(op).decisive == Decisive::smallest;
}

bool is_extreme(ReduceOp op) {
    return operation_row(op).decisive != Decisive::none;
}

/// True if an element counts only as 0 or not 0.
bool is_truth(ReduceOp op) {
    const ResultKind kind = operation_row(op).kind;
    return kind == ResultKind::truth || kind == ResultKind::count;
}

template <class T>
void put(std::vector<std::byte>& data, std::size_t index, T value) {
    std::memcpy(data.data() + index * sizeof(T), &value, sizeof value);
}

/// A value that is not 0 by its highest bit alone; for floats the smallest magnitude.
template <class T>
T barely_nonzero() {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(std::uint64_t{1} << (8 * sizeof(T) - 1));
    } else if constexpr (std::is_floating_point_v<T>) {
        return std::numeric_limits<T>::denorm_min();
    } else {
        T value;
        value.bits = 1;
        return value;
    }
}

/// The value that decides the result among those of reduce_data.
template <class T>
std::optional<T> decisive(ReduceOp op) {
    if (op == ReduceOp::any) {
        return barely_nonzero<T>();
    }
    if constexpr (std::is_integral_v<T>) {
        using Limits = std::numeric_limits<T>;
        if (op == ReduceOp::all) {
            return T{0};
        }
        if (is_extreme(op)) {
            const bool lowest = op == ReduceOp::max_abs ? std::is_signed_v<T> : prefers_small(op);
            return lowest ? Limits::lowest() : Limits::max();
        }
    } else {
        if (op == ReduceOp::all) {
            return T(-0.0F);
        }
        if (is_extreme(op)) {
            return T(prefers_small(op) || op == ReduceOp::max_abs ? -2.0F : 2.0F);
        }
    }
    return std::nullopt;
}

/// Writes values at the middle and the end of a run, or `rest` everywhere except at the end.
template <class T>
struct Special {
    T rest;
    T last;
    bool everywhere = false;
};

/// Fills a run with the value of no elements; the first of them still counts as an element.
template <class T>
Special<T> worst_everywhere(ReduceOp op) {
    if constexpr (std::is_integral_v<T>) {
        using Limits = std::numeric_limits<T>;
        const T worst = prefers_small(op) ? Limits::max() : Limits::lowest();
        return {worst, worst, true};
    } else {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        const T worst(prefers_small(op) ? kInfinity : -kInfinity);
        return {worst, worst, true};
    }
}

template <class T>
std::vector<Special<T>> specials(ReduceOp op) {
    std::vector<Special<T>> all;
    if (op == ReduceOp::custom) {
        return all;
    }
    if (is_extreme(op)) {
        all.push_back(worst_everywhere<T>(op));
    }
    if constexpr (std::is_integral_v<T>) {
        if (op == ReduceOp::sum_abs) {
            all.push_back({std::numeric_limits<T>::lowest(), std::numeric_limits<T>::lowest()});
        }
    } else {
        const T nan(std::numeric_limits<float>::quiet_NaN());
        const T infinity(std::numeric_limits<float>::infinity());
        const T minus_infinity(-std::numeric_limits<float>::infinity());
        all.push_back({nan, nan, is_truth(op)});
        if (!is_truth(op)) {
            all.push_back({infinity, minus_infinity});
        }
        if (!is_truth(op) && !is_extreme(op)) {
            all.push_back({infinity, infinity});
        }
        if (is_arg(op)) {  // the zeros are equal: the first wins
            const bool smallest = prefers_small(op);
            all.push_back({T(smallest ? 0.0F : -0.0F), T(smallest ? -0.0F : 0.0F), true});
        }
    }
    return all;
}

}  // namespace

void plant_decisive(const ReduceTypes& types, const ReduceLayout& layout, std::size_t turn,
                    std::vector<std::byte>& data) {
    visit_element(types.element, [&]<class T>(T) {
        const std::optional<T> value = decisive<T>(types.op);
        if (!value) {
            return;
        }
        for (std::size_t result = 0; result < layout.results(); ++result) {
            const ElementRun run = layout.run(result);
            const std::size_t spot = (result + turn) % 4;
            if (run.count == 0 || spot == 3) {
                continue;
            }
            put(data, run.at((run.count - 1) * spot / 2), *value);
            if (is_arg(types.op) && (result + turn) % 2 == 1) {
                put(data, run.at(run.count - 1), *value);
            }
        }
    });
}

std::size_t specials_of(const ReduceTypes& types) {
    return visit_element(types.element, [&]<class T>(T) { return specials<T>(types.op).size(); });
}

void plant_specials(const ReduceTypes& types, const ReduceLayout& layout, std::size_t turn,
                    std::vector<std::byte>& data) {
    visit_element(types.element, [&]<class T>(T) {
        const auto all = specials<T>(types.op);
        for (std::size_t result = 0; result < layout.results(); ++result) {
            const ElementRun run = layout.run(result);
            if (run.count == 0) {
                continue;
            }
            const Special<T>& special = all[(result + turn) % all.size()];
            const std::size_t middle = (run.count - 1) / 2;
            const std::size_t from = special.everywhere ? 0 : middle;
            const std::size_t to = special.everywhere ? run.count : middle + 1;
            for (std::size_t k = from; k < to; ++k) {
                put(data, run.at(k), special.rest);
            }
            put(data, run.at(run.count - 1), special.last);
        }
    });
}

}  // namespace jitune::internal
