// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "families/reduce/reduce_types.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal {

namespace {

using Random = std::mt19937_64;

constexpr int kUnitsPerOne = 256;

template <class T>
constexpr bool kIsInteger = std::is_integral_v<T>;

/// For floats `units` / 256, which every float type represents exactly up to 1; an integer
/// unchanged.
template <class T>
T of_units(std::int64_t units) {
    if constexpr (kIsInteger<T>) {
        return static_cast<T>(units);
    } else {
        return T(static_cast<float>(units) / kUnitsPerOne);
    }
}

/// Uniform in [0, count), count at most 2^32. Needs no division, which would take longer than
/// drawing the bits.
std::uint64_t below(std::uint64_t count, Random& random) {
    return ((random() >> 32) * count) >> 32;
}

/// Uniform in [low, high].
std::int64_t between(std::int64_t low, std::int64_t high, Random& random) {
    return low +
           static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1, random));
}

bool one_in(std::uint64_t count, Random& random) {
    return below(count, random) == 0;
}

/// Positive or negative, but not 0: the loss of a 0 would go unnoticed.
template <class T>
T spread_value(Random& random) {
    if constexpr (kIsInteger<T>) {
        return static_cast<T>(random());
    } else {
        const std::int64_t units = between(-kUnitsPerOne, kUnitsPerOne - 1, random);
        return of_units<T>(units < 0 ? units : units + 1);
    }
}

/// The second half repeats the first with the opposite sign, so that the sum is that of the middle.
template <class T>
void fill_spread(std::vector<T>& values, Random& random) {
    for (T& value : values) {
        value = spread_value<T>(random);
    }
    if constexpr (!kIsInteger<T>) {
        const std::size_t n = values.size();
        for (std::size_t i = 0; i < n / 2; ++i) {
            values[n - 1 - i] = T(-static_cast<float>(values[i]));
        }
        if (n % 2 == 1) {
            values[n / 2] = of_units<T>(1);
        }
    }
}

/// The highest magnitude in units for which the sum of `longest` powers stays exact in the
/// accumulator; if there is none, a few units, because kernels would look too fast on equal values.
template <class T>
std::int64_t highest_magnitude(const ReduceTypes& types, std::size_t longest) {
    constexpr double kFew = 4;
    const double exact = bytes_of(types.result) <= sizeof(float) ? 0x1p23 : 0x1p52;
    const double share = exact / static_cast<double>(longest);
    const double highest =
        operation_row(types.op).data == TrialData::magnitudes ? share : std::sqrt(share);
    double most = kUnitsPerOne;
    if constexpr (kIsInteger<T>) {
        most = static_cast<double>(std::numeric_limits<T>::max());
    }
    return static_cast<std::int64_t>(std::clamp(highest, kFew, most));
}

/// Magnitudes from half the highest to the highest: their weights are similar, so that the root of
/// their sum still shows the loss of one.
template <class T>
void fill_magnitudes(const ReduceTypes& types, std::size_t longest, std::vector<T>& values,
                     Random& random) {
    const std::int64_t highest = highest_magnitude<T>(types, longest);
    for (T& value : values) {
        const std::int64_t units = between((highest + 1) / 2, highest, random);
        const bool negative = !std::is_unsigned_v<T> && one_in(2, random);
        value = of_units<T>(negative ? -units : units);
    }
}

/// A run has so few powers of 2 that even the product of all those above 1 fits into a float32.
template <class T>
T factor(std::size_t longest, Random& random) {
    if constexpr (kIsInteger<T>) {
        const auto odd = static_cast<T>(random() | 1);
        return odd == T{1} ? T{3} : odd;
    } else {
        constexpr std::size_t kPowersInARun = 40;
        constexpr std::size_t kOften = 2;
        constexpr std::size_t kRarely = std::size_t{1} << 32;
        const float sign = one_in(2, random) ? -1.0F : 1.0F;
        if (!one_in(std::clamp(longest / kPowersInARun, kOften, kRarely), random)) {
            return T(sign);
        }
        return T(sign * (one_in(2, random) ? 2.0F : 0.5F));
    }
}

template <class T>
T moderate_value(Random& random) {
    if constexpr (std::is_unsigned_v<T>) {
        constexpr T kMost = std::numeric_limits<T>::max();
        return static_cast<T>(static_cast<T>(random()) / 2 + kMost / 4);
    } else if constexpr (kIsInteger<T>) {
        return static_cast<T>(static_cast<T>(random()) / 2);
    } else {
        return spread_value<T>(random);
    }
}

template <class T>
T zero(Random& random) {
    if constexpr (kIsInteger<T>) {
        return T{0};
    } else {
        return T(one_in(2, random) ? -0.0F : 0.0F);
    }
}

template <class T>
T nonzero(Random& random) {
    const T value = spread_value<T>(random);
    if constexpr (kIsInteger<T>) {
        return value == T{0} ? T{1} : value;
    } else {
        return value;
    }
}

template <class T>
T mixed_value(Random& random) {
    if (one_in(2, random)) {
        return zero<T>(random);
    }
    if constexpr (!kIsInteger<T>) {
        if (one_in(16, random)) {
            return T(std::numeric_limits<float>::quiet_NaN());
        }
    }
    return nonzero<T>(random);
}

template <class T>
T small_value(Random& random) {
    if constexpr (kIsInteger<T>) {
        constexpr std::int64_t kMost = 100;
        return static_cast<T>(between(std::is_signed_v<T> ? -kMost : 0, kMost, random));
    } else {
        return of_units<T>(between(-kUnitsPerOne, kUnitsPerOne - 1, random));
    }
}

template <class T, class Make>
void fill(std::vector<T>& values, Make make) {
    std::generate(values.begin(), values.end(), make);
}

template <class T>
void fill_for(const ReduceTypes& types, std::size_t longest, std::vector<T>& values,
              Random& random) {
    const ReduceOpRow& row = operation_row(types.op);
    switch (row.data) {
        case TrialData::mirrored:
            return fill_spread(values, random);
        case TrialData::magnitudes:
        case TrialData::squares:
            return kIsInteger<T> && row.kind != ResultKind::real
                       ? fill_spread(values, random)
                       : fill_magnitudes(types, longest, values, random);
        case TrialData::factors:
            return fill(values, [&] { return factor<T>(longest, random); });
        case TrialData::moderate:
            return fill(values, [&] { return moderate_value<T>(random); });
        case TrialData::nonzero:
            return fill(values, [&] { return nonzero<T>(random); });
        case TrialData::zeros:
            return fill(values, [&] { return zero<T>(random); });
        case TrialData::mixed:
            return fill(values, [&] { return mixed_value<T>(random); });
        case TrialData::small:
            return fill(values, [&] { return small_value<T>(random); });
    }
}

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

std::vector<std::byte> reduce_data(const ReduceTypes& types, std::size_t count, std::size_t longest,
                                   std::mt19937_64& random) {
    return visit_element(types.element, [&]<class T>(T) {
        std::vector<T> values(count);
        const std::size_t most = std::max<std::size_t>(longest, 1);
        fill_for(types, most, values, random);
        if constexpr (!std::is_arithmetic_v<T>) {
            if (const float scale = trial_scale(types, most); scale != 1) {
                for (T& value : values) {
                    value = T(static_cast<float>(value) * scale);
                }
            }
        }
        std::vector<std::byte> bytes(count * sizeof(T));
        std::memcpy(bytes.data(), values.data(), bytes.size());
        return bytes;
    });
}

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
