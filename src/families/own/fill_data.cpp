// SPDX-License-Identifier: Apache-2.0
#include "families/own/fill_data.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include "families/own/npy.hpp"
#include "jitune/error.hpp"
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

/// Draws elements between the ends of a fill, both included.
template <class T>
class RandomElements {
public:
    RandomElements(const Fill& fill, std::uint64_t seed) : random_(seed) {
        if (fill.low < fill.high) {
            low_ = fill.low;
            high_ = fill.high;
        } else if constexpr (std::is_integral_v<T>) {
            low_ = std::is_signed_v<T> ? -100 : 0;
            high_ = 100;
        }
    }

    T operator()() {
        const double unit = static_cast<double>(random_() >> 11) * 0x1p-53;
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(static_cast<std::int64_t>(low_) +
                                  static_cast<std::int64_t>(unit * (high_ - low_ + 1)));
        } else {
            return element_of<T>(low_ + unit * (high_ - low_));
        }
    }

private:
    std::mt19937_64 random_;
    double low_ = -1, high_ = 1;
};

template <class T>
std::vector<T> elements(const Fill& fill, std::size_t count, std::uint64_t seed) {
    switch (fill.kind) {
        case Fill::Kind::iota: {
            std::vector<T> values(count);
            for (std::size_t i = 0; i < count; ++i) {
                values[i] = element_of<T>(static_cast<double>(i));
            }
            return values;
        }
        case Fill::Kind::random: {
            std::vector<T> values(std::min(count, kPeriod));
            std::generate(values.begin(), values.end(), RandomElements<T>(fill, seed));
            return values;
        }
        default:
            return {element_of<T>(fill.kind == Fill::Kind::ones ? 1 : 0)};
    }
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
    return visit_element(type, [&]<class T>(T) {
        const std::vector<T> values = elements<T>(fill, count, seed);
        const auto bytes = std::as_bytes(std::span(values));
        return std::vector<std::byte>(bytes.begin(), bytes.end());
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

}  // namespace jitune::internal
