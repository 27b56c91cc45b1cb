#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "host_fixture.hpp"
#include "support/embedded.hpp"

/// What the tests of the host's reductions share: element types, data and naive answers.
namespace jitune::host_kernels {

struct Half {
    std::uint16_t bits;
};
struct Bfloat {
    std::uint16_t bits;
};

/// The text of a type in kernels.
template <class T>
inline constexpr const char* kText = "";
template <>
inline constexpr const char* kText<std::int8_t> = "signed char";
template <>
inline constexpr const char* kText<std::uint8_t> = "unsigned char";
template <>
inline constexpr const char* kText<std::int16_t> = "short";
template <>
inline constexpr const char* kText<std::uint16_t> = "unsigned short";
template <>
inline constexpr const char* kText<std::int32_t> = "int";
template <>
inline constexpr const char* kText<std::uint32_t> = "unsigned";
template <>
inline constexpr const char* kText<std::int64_t> = "long long";
template <>
inline constexpr const char* kText<std::uint64_t> = "unsigned long long";
template <>
inline constexpr const char* kText<Half> = "jitune::float16";
template <>
inline constexpr const char* kText<Bfloat> = "jitune::bfloat16";
template <>
inline constexpr const char* kText<float> = "float";
template <>
inline constexpr const char* kText<double> = "double";

template <class T>
inline constexpr bool kFloats = !std::is_integral_v<T>;

/// What the naive answers are made of.
template <class T>
using Wide =
    std::conditional_t<kFloats<T>, double,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

inline double widen(Half x) {
    const int exponent = x.bits >> 10 & 31;
    const int fraction = x.bits & 1023;
    const double magnitude = exponent == 31  ? (fraction != 0 ? std::nan("") : HUGE_VAL)
                             : exponent == 0 ? std::ldexp(fraction, -24)
                                             : std::ldexp(1024 + fraction, exponent - 25);
    return (x.bits & 0x8000) != 0 ? -magnitude : magnitude;
}
inline double widen(Bfloat x) {
    const std::uint32_t bits = std::uint32_t{x.bits} << 16;
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<double>(value);
}
template <class T>
Wide<T> widen(T x) {
    return static_cast<Wide<T>>(x);
}

/// The element of a value that its type has.
template <class T>
T element(Wide<T> value) {
    if constexpr (std::is_same_v<T, Bfloat>) {
        const auto single = static_cast<float>(value);
        std::uint32_t bits = 0;
        std::memcpy(&bits, &single, sizeof bits);
        return {static_cast<std::uint16_t>(bits >> 16)};
    } else if constexpr (std::is_same_v<T, Half>) {
        const unsigned sign = std::signbit(value) ? 0x8000 : 0;
        int exponent = 0;
        const double fraction = std::frexp(std::abs(value), &exponent);
        const unsigned bits = std::isnan(value)   ? 0x7e00
                              : std::isinf(value) ? 0x7c00
                              : value == 0        ? 0
                              : exponent < -13
                                  ? static_cast<unsigned>(std::ldexp(fraction, exponent + 24))
                                  : static_cast<unsigned>((exponent + 14) << 10) +
                                        static_cast<unsigned>(std::ldexp(fraction, 11)) - 1024;
        return {static_cast<std::uint16_t>(bits | sign)};
    } else {
        return static_cast<T>(value);
    }
}

/// Integers of the whole range; floats whose sums are exact in any order.
template <class T>
std::vector<T> random_elements(std::size_t n) {
    std::mt19937_64 random(n);
    std::vector<T> values(n);
    for (T& value : values) {
        if constexpr (kFloats<T>) {
            value = element<T>(static_cast<double>(random() % 33) / 4 - 4);
        } else {
            value = static_cast<T>(random());
        }
    }
    return values;
}

inline constexpr const char* kOperations[] = {
    "Sum",          "Product", "Min",    "Max",    "ArgMin",       "ArgMax", "Mean",
    "SumOfSquares", "Norm",    "SumAbs", "MaxAbs", "CountNonzero", "All",    "Any"};

inline constexpr std::size_t kSum = 0, kProduct = 1, kMin = 2, kMax = 3, kSumOfSquares = 7,
                             kNorm = 8, kSumAbs = 9, kMaxAbs = 10;

struct ResultTypes {
    const char* accumulator;
    const char* result;
};

/// The defaults of docs/reduce.md.
template <class T>
ResultTypes types_of(std::string_view operation) {
    const char* const own = sizeof(T) == 8        ? kText<T>
                            : kFloats<T>          ? "float"
                            : std::is_signed_v<T> ? "int"
                                                  : "unsigned";
    if (operation == "All" || operation == "Any") {
        return {"unsigned", "unsigned char"};
    }
    if (operation == "CountNonzero") {
        return {"long long", "long long"};
    }
    if (operation == "ArgMin" || operation == "ArgMax") {
        return {own, "long long"};
    }
    if (!kFloats<T> && operation == "Mean") {
        return {std::is_signed_v<T> ? "long long" : "unsigned long long", "double"};
    }
    if (!kFloats<T> && operation == "Norm") {
        return {"double", "double"};
    }
    return {own, own};
}

/// Integers by their bits, in as many bytes as the result has.
using Answer = std::variant<std::uint64_t, double>;

inline std::size_t bytes_of_text(std::string_view type) {
    return type == "unsigned char"                                  ? 1
           : type == "int" || type == "unsigned" || type == "float" ? 4
                                                                    : 8;
}

inline Answer read_answer(const void* memory, std::string_view type) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, memory, bytes_of_text(type));
    if (type == "float") {
        float value = 0;
        std::memcpy(&value, memory, sizeof value);
        return static_cast<double>(value);
    }
    if (type == "double") {
        double value = 0;
        std::memcpy(&value, memory, sizeof value);
        return value;
    }
    return bits;
}

template <class W>
W magnitude(W x) {
    if constexpr (std::is_unsigned_v<W>) {
        return x;
    } else if constexpr (std::is_integral_v<W>) {
        return static_cast<W>(x < 0 ? 0 - static_cast<std::uint64_t>(x)
                                    : static_cast<std::uint64_t>(x));
    } else {
        return std::abs(x);
    }
}

template <class W>
struct Tally {
    // Integers wrap.
    using Sum = std::conditional_t<std::is_integral_v<W>, std::uint64_t, double>;
    Sum sum = 0, product = 1, squares = 0, magnitudes = 0;
    double norm = 0;
    W low, high, largest;
    std::size_t first_low = 0, first_high = 0, nonzero = 0;

    explicit Tally(const std::vector<W>& values)
        : low(values.at(0)), high(low), largest(magnitude(low)) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            add(values[i], i);
        }
    }

private:
    void add(W x, std::size_t i) {
        sum += static_cast<Sum>(x);
        product *= static_cast<Sum>(x);
        squares += static_cast<Sum>(x) * static_cast<Sum>(x);
        magnitudes += static_cast<Sum>(magnitude(x));
        norm += static_cast<double>(x) * static_cast<double>(x);
        nonzero += x != 0 ? 1 : 0;
        const auto beats = [&](W best, bool better) { return best == best && (better || x != x); };
        if (beats(low, x < low)) {
            low = x;
            first_low = i;
        }
        if (beats(high, x > high)) {
            high = x;
            first_high = i;
        }
        using Bits = std::conditional_t<std::is_integral_v<W>, std::uint64_t, double>;
        if (beats(largest, static_cast<Bits>(magnitude(x)) > static_cast<Bits>(largest))) {
            largest = magnitude(x);
        }
    }
};

/// Of each of kOperations.
using Answers = std::array<Answer, std::size(kOperations)>;

template <class W>
Answers naive_answers(const std::vector<W>& values) {
    using Own = std::conditional_t<std::is_integral_v<W>, std::uint64_t, double>;
    const Tally<W> tally(values);
    const auto own = [](auto value) { return Answer(static_cast<Own>(value)); };
    const auto count = [](std::size_t value) { return Answer(std::uint64_t{value}); };
    return {own(tally.sum),
            own(tally.product),
            own(tally.low),
            own(tally.high),
            count(tally.first_low),
            count(tally.first_high),
            static_cast<double>(static_cast<W>(tally.sum)) / static_cast<double>(values.size()),
            own(tally.squares),
            std::sqrt(tally.norm),
            own(tally.magnitudes),
            own(tally.largest),
            count(tally.nonzero),
            count(tally.nonzero == values.size() ? 1 : 0),
            count(tally.nonzero > 0 ? 1 : 0)};
}

/// Of the elements values[0], values[stride] …
template <class T>
Answers naive_answers(const T* values, std::size_t n, std::size_t stride = 1) {
    std::vector<Wide<T>> wide(n);
    for (std::size_t i = 0; i < n; ++i) {
        wide[i] = widen(values[i * stride]);
    }
    return naive_answers(wide);
}

inline void expect_answer(const Answer& got, const Answer& expected, std::string_view result) {
    if (const auto* integer = std::get_if<std::uint64_t>(&expected)) {
        const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * bytes_of_text(result));
        EXPECT_EQ(std::get<std::uint64_t>(got), *integer & mask);
        return;
    }
    const double value = std::get<double>(got), wanted = std::get<double>(expected);
    if (std::isnan(wanted) || std::isinf(wanted)) {
        EXPECT_TRUE(std::isnan(wanted) ? std::isnan(value) : value == wanted) << value;
    } else {
        EXPECT_NEAR(value, wanted, 4e-6 * std::abs(wanted));
    }
}

inline TemplateSource embedded_source(const std::string& name) {
    TemplateSource source{name, "", {}};
    for (const embedded::File& file : embedded::kernel_templates) {
        if (file.name == name) {
            source.text = file.text;
        } else if (file.name.starts_with("include/")) {
            source.headers.emplace_back(file.name.substr(8), file.text);
        }
    }
    EXPECT_FALSE(source.text.empty()) << "no embedded " << name;
    return source;
}

/// Compiles the expressions together; one program each, none after a failure.
inline std::vector<std::shared_ptr<const Program>> load_all(
    const std::string& name, const std::vector<std::string>& expressions) {
    static const std::unique_ptr<Platform> host = make_host_platform(Log(LogLevel::off));
    Backend& backend = host->device(0);
    std::vector<Instance> instances;
    for (const std::string& expression : expressions) {
        instances.push_back({{expression}});
    }
    std::vector<std::shared_ptr<const Program>> programs;
    for (const CompileOutcome& outcome : backend.compile(embedded_source(name), instances)) {
        if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
            ADD_FAILURE() << failure->log;
            return {};
        }
        programs.push_back(backend.load(std::get<Binary>(outcome)));
    }
    return programs;
}

}  // namespace jitune::host_kernels
