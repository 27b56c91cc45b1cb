#include "ops/reduce_reference.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "ops/element_visit.hpp"

namespace jitune {

namespace {

template <class T>
std::vector<std::byte> bytes_of_value(T value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

template <class T>
T element_at(std::span<const std::byte> pattern, std::size_t index) {
    T value;
    std::memcpy(&value, pattern.data() + index * sizeof(T), sizeof value);
    return value;
}

/// Sum with the rounding errors carried along.
struct Compensated {
    double sum = 0, error = 0, magnitude = 0;

    void add(double value) {
        const double next = sum + value;
        error += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
        sum = next;
        magnitude += std::abs(value);
    }
};

template <class T>
Expected integer_sum(std::span<const std::byte> pattern, std::size_t n) {
    const std::size_t period = pattern.size() / sizeof(T);
    std::uint64_t whole = 0;
    std::uint64_t rest = 0;
    for (std::size_t i = 0; i < std::min(period, n); ++i) {
        const auto value = static_cast<std::uint64_t>(element_at<T>(pattern, i));
        whole += value;
        rest += i < n % period ? value : 0;
    }
    const std::uint64_t total = n < period ? whole : whole * (n / period) + rest;
    return {bytes_of_value(static_cast<T>(total)), 0};
}

/// How far a float32 sum of ReduceWorkload's data may be off. Up to 2^24 elements every partial sum
/// is exact. Beyond, a kernel whose stride resonates with the period can pass 2^24 units and round:
/// by a few units for each doubling (seen: one unit at 2^27), where one lost tile is thousands.
double rounding_of_sum(std::size_t n) {
    constexpr double kUnit = 1.0 / 256;
    constexpr double kExact = 1 << 24;
    const double beyond = static_cast<double>(n) / kExact;
    return beyond <= 1 ? 0 : 16 * kUnit * beyond;
}

template <class T>
Expected float_sum(std::span<const std::byte> pattern, std::size_t n) {
    const std::size_t period = pattern.size() / sizeof(T);
    Compensated whole;
    Compensated rest;
    for (std::size_t i = 0; i < std::min(period, n); ++i) {
        const double value = element_at<T>(pattern, i);
        whole.add(value);
        if (i < n % period) {
            rest.add(value);
        }
    }
    const std::size_t whole_periods = n / period;
    const double periods = n < period ? 1 : static_cast<double>(whole_periods);
    const double extra = n < period ? 0 : rest.sum + rest.error;
    const double total = (whole.sum + whole.error) * periods + extra;
    return {bytes_of_value(static_cast<T>(total)), sizeof(T) == 8 ? 0 : rounding_of_sum(n)};
}

template <class T>
Expected extreme(std::span<const std::byte> pattern, std::size_t n, bool smallest) {
    const std::size_t count = std::min(pattern.size() / sizeof(T), n);
    T best = element_at<T>(pattern, 0);
    for (std::size_t i = 1; i < count; ++i) {
        const T value = element_at<T>(pattern, i);
        if (value != value || (smallest ? value < best : value > best)) {
            best = value;
        }
        if (best != best) {
            break;
        }
    }
    return {bytes_of_value(best), 0};
}

template <class T>
std::string compare_as(const Expected& expected, std::span<const std::byte> got_bytes) {
    const T want = element_at<T>(expected.value, 0);
    const T got = element_at<T>(got_bytes, 0);
    if constexpr (std::is_floating_point_v<T>) {
        const bool both_nan = std::isnan(want) && std::isnan(got);
        const double difference = std::abs(static_cast<double>(want) - static_cast<double>(got));
        if (both_nan || want == got || difference <= expected.tolerance) {
            return {};
        }
    } else if (want == got) {
        return {};
    }
    return fmt::format("got {}, expected {}", got, want);
}

}  // namespace

Expected reduce_reference(const std::string& element, const std::string& operation,
                          std::span<const std::byte> pattern, std::size_t bytes) {
    return visit_element(element, [&]<class T>(T) -> Expected {
        const std::size_t n = bytes / sizeof(T);
        if (operation != "sum") {
            return extreme<T>(pattern, n, operation == "min");
        }
        if constexpr (std::is_floating_point_v<T>) {
            return float_sum<T>(pattern, n);
        } else {
            return integer_sum<T>(pattern, n);
        }
    });
}

std::string compare(const std::string& element, const Expected& expected,
                    std::span<const std::byte> got) {
    return visit_element(element, [&]<class T>(T) { return compare_as<T>(expected, got); });
}

}  // namespace jitune
