// SPDX-License-Identifier: Apache-2.0
#include "families/own/fill_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "families/own/npy.hpp"
#include "jitune/error.hpp"
#include "support/text_file.hpp"
#include "template/option_reader.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kPeriod = 1'048'573;

template <class T>
T element_of(double value) {
    if constexpr (std::is_arithmetic_v<T>) {
        return static_cast<T>(value);
    } else {
        return T(static_cast<float>(value));
    }
}

/// Whether an element of the type holds the value: an integer, or a number that is not too large.
template <class T>
bool fits(double value) {
    if constexpr (std::is_integral_v<T>) {
        constexpr double kEnd = 0x1p63;
        return value == std::floor(value) && value >= -kEnd && value < kEnd &&
               std::in_range<T>(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
        return std::abs(value) <= static_cast<double>(std::numeric_limits<T>::max());
    } else {
        return std::isfinite(static_cast<float>(T(static_cast<float>(value))));
    }
}

/// Throws Error(usage) if no element of the type is the value.
template <class T>
void refuse_unlike(const char* what, double value) {
    if (!fits<T>(value)) {
        throw Error(ErrorKind::usage,
                    fmt::format("the fill's {} {} is no {} of {} bytes", what, value,
                                std::is_integral_v<T> ? "integer" : "number", sizeof(T)));
    }
}

struct Bounds {
    double low = 0, high = 0;
};

double number_of(const Expression& expression) {
    const auto value = expression.constant_value();
    if (const auto* integer = value ? std::get_if<std::int64_t>(&*value) : nullptr) {
        return static_cast<double>(*integer);
    }
    const auto* real = value ? std::get_if<double>(&*value) : nullptr;
    if (real == nullptr || !std::isfinite(*real)) {
        throw Error(ErrorKind::usage,
                    "a bound of the fill is no number for these sizes: use sizes and types alone");
    }
    return *real;
}

/// The bounds of the fill, else the usual bounds of its kind and the type.
template <class T>
Bounds bounds_of(const Fill& fill) {
    if (fill.has_bounds) {
        const Bounds bounds{number_of(fill.low), number_of(fill.high)};
        if (fill.kind == Fill::Kind::normal ? bounds.high < 0 : bounds.low > bounds.high) {
            throw Error(ErrorKind::usage,
                        fmt::format("the fill's bounds are {} and {} for these sizes: the second "
                                    "must not be below {}",
                                    bounds.low, bounds.high,
                                    fill.kind == Fill::Kind::normal ? "0" : "the first"));
        }
        if (fill.kind == Fill::Kind::whole) {
            refuse_unlike<std::int64_t>("bound", bounds.low);
            refuse_unlike<std::int64_t>("bound", bounds.high);
        }
        if (fill.kind != Fill::Kind::normal) {
            refuse_unlike<T>("bound", bounds.low);
            refuse_unlike<T>("bound", bounds.high);
        }
        return bounds;
    }
    if (fill.kind == Fill::Kind::normal) {
        return {0, 1};
    }
    if constexpr (std::is_integral_v<T>) {
        return {std::is_signed_v<T> ? -100.0 : 0.0, 100};
    } else {
        return {-1, 1};
    }
}

/// Draws elements between two ends, both included.
template <class T>
class RandomElements {
public:
    RandomElements(Bounds bounds, std::uint64_t seed) : random_(seed), bounds_(bounds) {}

    T operator()() {
        const double unit = static_cast<double>(random_() >> 11) * 0x1p-53;
        const auto [low, high] = bounds_;
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(static_cast<std::int64_t>(low) +
                                  static_cast<std::int64_t>(unit * (high - low + 1)));
        } else {
            return element_of<T>(low + unit * (high - low));
        }
    }

private:
    std::mt19937_64 random_;
    Bounds bounds_;
};

template <class T>
std::vector<T> random_values(Bounds bounds, std::size_t count, std::uint64_t seed) {
    std::vector<T> values(count);
    std::generate(values.begin(), values.end(), RandomElements<T>(bounds, seed));
    return values;
}

/// Whole numbers, so that sums and products of few of them have no error in floats either.
template <class T>
std::vector<T> whole_values(Bounds bounds, std::size_t count, std::uint64_t seed) {
    RandomElements<std::int64_t> whole(bounds, seed);
    std::vector<T> values(count);
    std::generate(values.begin(), values.end(),
                  [&] { return element_of<T>(static_cast<double>(whole())); });
    return values;
}

/// The element nearest to a value that may be beyond the type's range.
template <class T>
T nearest(double value) {
    if constexpr (std::is_arithmetic_v<T>) {
        constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::lowest());
        constexpr auto kHigh = static_cast<double>(std::numeric_limits<T>::max());
        return value <= kLow    ? std::numeric_limits<T>::lowest()
               : value >= kHigh ? std::numeric_limits<T>::max()
                                : static_cast<T>(value);
    } else {
        return element_of<T>(value);
    }
}

/// Box and Muller's two values of a normal distribution from two uniform ones; unlike the standard
/// library's, the same with each compiler.
template <class T>
std::vector<T> normal_values(Bounds bounds, std::size_t count, std::uint64_t seed) {
    RandomElements<double> uniform({0, 1}, seed);
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; i += 2) {
        const double radius = std::sqrt(-2 * std::log1p(-uniform()));
        const double angle = 2 * std::numbers::pi * uniform();
        values[i] = nearest<T>(bounds.low + bounds.high * radius * std::cos(angle));
        if (i + 1 < count) {
            values[i + 1] = nearest<T>(bounds.low + bounds.high * radius * std::sin(angle));
        }
    }
    return values;
}

template <class T>
std::vector<T> first_integers(std::size_t count) {
    refuse_unlike<T>("last element", static_cast<double>(count) - (count > 0 ? 1 : 0));
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = element_of<T>(static_cast<double>(i));
    }
    return values;
}

template <class T>
std::vector<T> elements(const Fill& fill, std::size_t count, std::uint64_t seed) {
    using Kind = Fill::Kind;
    const auto less = [](const T& a, const T& b) {
        if constexpr (std::is_arithmetic_v<T>) {
            return a < b;
        } else {
            return static_cast<float>(a) < static_cast<float>(b);
        }
    };
    std::vector<T> values;
    switch (fill.kind) {
        case Kind::iota:
            return first_integers<T>(count);
        case Kind::permutation:
            values = first_integers<T>(count);
            std::shuffle(values.begin(), values.end(), std::mt19937_64(seed));
            return values;
        case Kind::random:
            return random_values<T>(bounds_of<T>(fill), std::min(count, kPeriod), seed);
        case Kind::whole:
            return whole_values<T>(bounds_of<T>(fill), std::min(count, kPeriod), seed);
        case Kind::normal:
            return normal_values<T>(bounds_of<T>(fill), std::min(count, kPeriod), seed);
        case Kind::sorted:
        case Kind::offsets:
            values = random_values<T>(bounds_of<T>(fill), count, seed);
            std::sort(values.begin(), values.end(), less);
            if (fill.kind == Kind::offsets && count > 0) {
                values.back() = element_of<T>(bounds_of<T>(fill).high);
                values.front() = element_of<T>(0);
            }
            return values;
        case Kind::constant:
            refuse_unlike<T>("constant", fill.value);
            return {element_of<T>(fill.value)};
        default:
            return {element_of<T>(fill.kind == Kind::ones ? 1 : 0)};
    }
}

std::vector<std::byte> raw_data(const std::filesystem::path& path, std::size_t bytes) {
    const MappedFile file(path);
    if (file.bytes().size() != bytes) {
        throw Error(ErrorKind::usage, fmt::format("\"{}\" has {} bytes, but the argument takes {}",
                                                  path.string(), file.bytes().size(), bytes));
    }
    return {file.bytes().begin(), file.bytes().end()};
}

}  // namespace

std::vector<std::byte> file_data(const std::filesystem::path& folder, const std::string& file,
                                 ElementType type, std::size_t count) {
    const NpyFile npy(folder / file);
    if (npy.header().type != type || npy.header().count != count) {
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" has {} elements of {}, but the argument takes {} of {}",
                                (folder / file).string(), npy.header().count,
                                to_string(npy.header().type), count, to_string(type)));
    }
    const auto* first = static_cast<const std::byte*>(npy.data());
    return {first, first + count * bytes_of(type)};
}

std::vector<std::byte> fill_data(const Fill& fill, ElementType type, std::size_t count,
                                 std::uint64_t seed, const std::filesystem::path& folder) {
    if (fill.kind == Fill::Kind::file) {
        return file_data(folder, fill.file, type, count);
    }
    if (fill.kind == Fill::Kind::raw) {
        return raw_data(folder / fill.file, count * bytes_of(type));
    }
    return visit_element(type, [&]<class T>(T) {
        const std::vector<T> values = elements<T>(fill, count, seed);
        const auto bytes = std::as_bytes(std::span(values));
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    });
}

std::string named_file(const std::string& text, const FrontMatter& front, const Problem& problem) {
    return filled_option(text, [&](const std::string& name) {
        const auto size = std::find(front.sizes.begin(), front.sizes.end(), name);
        return size == front.sizes.end()
                   ? problem.types.at(name)
                   : std::to_string(
                         problem.sizes.at(static_cast<std::size_t>(size - front.sizes.begin())));
    });
}

std::uint64_t value_bits(ElementType type, const Scalar& value, const std::string& name) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    if (integer == nullptr && real == nullptr) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} must be a number, not {}", name, to_string(value)));
    }
    return visit_element(type, [&]<class T>(T) {
        T converted{};
        if constexpr (std::is_integral_v<T>) {
            converted =
                static_cast<T>(integer != nullptr ? *integer : static_cast<std::int64_t>(*real));
        } else {
            converted = element_of<T>(real != nullptr ? *real : static_cast<double>(*integer));
        }
        std::uint64_t bits = 0;
        std::memcpy(&bits, &converted, sizeof converted);
        return bits;
    });
}

namespace {

/// The root mean square of the finite values.
template <class T>
double root_mean_square(std::span<const std::byte> values) {
    const std::size_t count = values.size() / sizeof(T);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(readable_element<T>(values, i));
        sum += std::isfinite(value) ? value * value : 0;
    }
    return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

}  // namespace

double default_tolerance(ElementType type) {
    switch (type) {
        case ElementType::float64:
            return 1e-10;
        case ElementType::float32:
            return 1e-4;
        case ElementType::float16:
        case ElementType::bfloat16:
            return 1e-2;
        default:
            return 0;
    }
}

std::string compare_output(const OutputSpec& output, std::span<const std::byte> want,
                           std::span<const std::byte> got) {
    if (std::memcmp(want.data(), got.data(), want.size()) == 0) {
        return {};
    }
    return visit_element(output.type, [&]<class T>(T) -> std::string {
        const double floor = output.tolerance > 0 ? root_mean_square<T>(want) : 0;
        for (std::size_t i = 0; i < want.size() / sizeof(T); ++i) {
            const auto a = readable_element<T>(want, i);
            const auto b = readable_element<T>(got, i);
            if (a == b || (a != a && b != b)) {
                continue;
            }
            const auto wanted = static_cast<double>(a);
            const double off = std::abs(static_cast<double>(b) - wanted);
            if (!(off > 0 && off <= output.tolerance * (std::abs(wanted) + floor) &&
                  std::isfinite(wanted))) {
                return fmt::format("{}[{}]: got {}, expected {}", output.name, i, b, a);
            }
        }
        return {};
    });
}

}  // namespace jitune::internal
