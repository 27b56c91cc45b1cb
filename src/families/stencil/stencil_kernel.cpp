// SPDX-License-Identifier: Apache-2.0
#include "families/stencil/stencil_kernel.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>

#include <fmt/format.h>

#include "dispatch/answer/call_check.hpp"
#include "families/stencil/stencil_reference.hpp"
#include "support/settings.hpp"
#include "template/template_headers.hpp"
#include "types/name_table.hpp"

namespace jitune::internal {

namespace {

struct BoundaryRow {
    Boundary value;
    std::string_view name;
};
constexpr std::array kBoundaries{
    BoundaryRow{Boundary::valid, "valid"},
    BoundaryRow{Boundary::zero, "zero"},
    BoundaryRow{Boundary::clamp, "clamp"},
    BoundaryRow{Boundary::wrap, "wrap"},
};
static_assert(is_complete(kBoundaries, Boundary::wrap));
constexpr std::string_view kWhatBoundary = "a boundary";

constexpr std::array<double, 2 * Stencil::kMaxRadius + 1> kZeros{};

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorKind::usage, "stencil: " + what);
}

void refuse_bad_weight(ElementType element, double weight) {
    const bool fits = element == ElementType::int32
                          ? weight == std::trunc(weight) && weight >= -0x1p31 && weight < 0x1p31
                          : std::isfinite(weight) && (element == ElementType::float64 ||
                                                      std::isfinite(static_cast<float>(weight)));
    if (!fits) {
        refuse(fmt::format("weight {} must be {} {}", weight,
                           element == ElementType::int32 ? "a value of" : "a finite",
                           to_string(element)));
    }
}

}  // namespace

std::string_view weighting_of(const Stencil& stencil) {
    return !stencil.weights.empty() ? "weights" : stencil.mean ? "mean" : "sum";
}

void refuse_bad_stencil(const detail::StencilRequest& request) {
    const Stencil& stencil = request.stencil;
    if (stencil.radius < 1 || stencil.radius > Stencil::kMaxRadius) {
        refuse(fmt::format("radius {}: must be from 1 to {}", stencil.radius, Stencil::kMaxRadius));
    }
    const auto count = 2 * static_cast<std::size_t>(stencil.radius) + 1;
    if (!stencil.weights.empty() && stencil.weights.size() != count) {
        refuse(fmt::format("{} weights: radius {} takes {}, or none for a plain sum",
                           stencil.weights.size(), stencil.radius, count));
    }
    if (stencil.mean && !stencil.weights.empty()) {
        refuse("mean and weights: give one of the two");
    }
    to_string(stencil.boundary);  // throws for a value outside the enum
    if (request.element != ElementType::int32 && request.element != ElementType::float32 &&
        request.element != ElementType::float64) {
        refuse(fmt::format("of {}: use int32, float32 or float64", to_string(request.element)));
    }
    for (const double weight : stencil.weights) {
        refuse_bad_weight(request.element, weight);
    }
    if (request.n < 0 || request.n > kMostElements) {
        refuse(fmt::format("n = {}: must be from 0 to 2^40", request.n));
    }
}

Problem stencil_problem(const detail::StencilRequest& request, std::size_t alignment) {
    refuse_bad_stencil(request);
    Problem problem;
    problem.kernel = "stencil";
    problem.types = {{"element", std::string(to_string(request.element))},
                     {"radius", std::to_string(request.stencil.radius)},
                     {"weighting", std::string(weighting_of(request.stencil))},
                     {"boundary", std::string(to_string(request.stencil.boundary))}};
    problem.sizes = {request.n};
    problem.alignment = static_cast<std::int64_t>(alignment);
    return problem;
}

detail::StencilRequest stencil_request(ElementType element, int radius, std::string_view weighting,
                                       std::string_view boundary) {
    detail::StencilRequest request{element, {}, 1};
    request.stencil.radius = radius;
    request.stencil.mean = weighting == "mean";
    request.stencil.boundary = parse_boundary(boundary);
    refuse_bad_stencil(request);
    if (weighting == "weights") {
        request.stencil.weights = std::span(kZeros).first(2 * static_cast<std::size_t>(radius) + 1);
    }
    if (weighting != weighting_of(request.stencil)) {
        refuse(fmt::format("unknown weighting \"{}\": use sum, mean or weights", weighting));
    }
    return request;
}

detail::StencilRequest stencil_request(const Problem& problem) {
    detail::StencilRequest request = stencil_request(
        parse_element_type(problem.types.at("element")), number_type(problem, "radius"),
        problem.types.at("weighting"), problem.types.at("boundary"));
    request.n = problem.sizes.at(0);
    return request;
}

StencilWeights::StencilWeights(const detail::StencilRequest& request) {
    refuse_bad_stencil(request);
    bytes_ = bytes_of(request.element);
    std::byte* to = values_.data();
    visit_stencil_element(request.element, [&]<class T>(T) {
        for (const double weight : request.stencil.weights) {
            const T value = static_cast<T>(weight);
            std::memcpy(to, &value, sizeof value);
            to += sizeof value;
        }
        bytes_ *= std::max<std::size_t>(request.stencil.weights.size(), 1);
    });
}

namespace {

using Bytes = std::vector<std::byte>;

// A prime, so that no stride of a kernel reads the same elements in every period.
constexpr std::int64_t kPeriod = 1'048'573;
// Primes: one below the size of a tile, one of several tiles for every configuration.
constexpr std::int64_t kMiddle = 1'031;
constexpr std::int64_t kTiles = 40'009;

enum class Content { exact, special };

template <class T>
T random_integer(std::mt19937_64& random, std::int32_t magnitude) {
    std::uniform_int_distribution<std::int32_t> draw(-magnitude, magnitude);
    return static_cast<T>(draw(random));
}

/// Integers over their whole range; floats in [-64, 64], so that 65 of them times a weight have an
/// exact sum.
template <class T>
std::vector<T> elements(std::int64_t count, Content content, std::mt19937_64& random) {
    std::vector<T> values(static_cast<std::size_t>(count));
    const std::int32_t magnitude =
        std::is_integral_v<T> ? std::numeric_limits<std::int32_t>::max() : 64;
    for (T& value : values) {
        value = random_integer<T>(random, magnitude);
    }
    if constexpr (std::is_floating_point_v<T>) {
        if (content == Content::special) {
            constexpr T kInfinity = std::numeric_limits<T>::infinity();
            constexpr std::array kSpecials{kInfinity, -kInfinity,
                                           std::numeric_limits<T>::quiet_NaN()};
            for (std::size_t i = 0; i < 9; ++i) {
                values[static_cast<std::size_t>(random()) % values.size()] = kSpecials[i % 3];
            }
        }
    }
    return values;
}

template <class T>
std::vector<T> small_weights(const detail::StencilRequest& wanted, std::mt19937_64& random) {
    const int count = 2 * wanted.stencil.radius + 1;
    std::vector<T> weights(wanted.stencil.weights.empty() ? 0 : static_cast<std::size_t>(count));
    for (T& weight : weights) {
        weight = random_integer<T>(random, 3);
        weight += weight == T(0) ? T(1) : T(0);  // every input counts
    }
    return weights;
}

template <class T>
std::shared_ptr<const Bytes> bytes_of_values(std::vector<T> values) {
    values.resize(std::max<std::size_t>(values.size(), 1));
    const auto* first = reinterpret_cast<const std::byte*>(values.data());
    return std::make_shared<const Bytes>(first, first + values.size() * sizeof(T));
}

Case make_case(const detail::StencilRequest& wanted, std::int64_t n, std::size_t offset,
               Content content, std::mt19937_64& random) {
    Case one;
    one.name = fmt::format("n={} offset={}{}", n, offset,
                           content == Content::special ? " special values" : "");
    one.sizes = {n};
    one.exact = true;
    one.reads_all = true;
    visit_stencil_element(wanted.element, [&]<class T>(T) {
        auto values = elements<T>(std::min(n, kPeriod), content, random);
        auto weights = small_weights<T>(wanted, random);
        CaseArgument by_value{bytes_of_values(weights), 0, 0};
        by_value.by_value = true;
        CaseArgument input{bytes_of_values(values), static_cast<std::size_t>(n) * sizeof(T),
                           offset * sizeof(T)};
        const auto reference = std::make_shared<const StencilReference<T>>(
            wanted.stencil, std::move(weights), std::move(values), n);
        const auto count = static_cast<std::size_t>(reference->outputs());
        one.arguments = {std::move(input), std::move(by_value),
                         CaseArgument::output(count * sizeof(T))};
        one.judge = [reference](std::span<const Bytes> outputs) {
            return reference->compare(reinterpret_cast<const T*>(outputs[0].data()));
        };
    });
    return one;
}

Kernel made_for(PlatformKind platform) {
    return builtin_kernel(kStencilFamily, platform, std::make_unique<StencilWorkload>());
}

}  // namespace

std::vector<Case> StencilWorkload::checks(const Problem& problem) const {
    const detail::StencilRequest wanted = stencil_request(problem);
    const std::int64_t radius = wanted.stencil.radius;
    std::mt19937_64 random(static_cast<std::uint64_t>(radius));
    std::vector<Case> cases;
    std::size_t offset = 0;
    std::vector<std::int64_t> sizes{1, radius, 2 * radius, 2 * radius + 1, 2 * radius + 2, kMiddle};
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    sizes.insert(sizes.end(), {kTiles, kTiles});
    for (const std::int64_t n : sizes) {
        if (stencil_outputs(n, wanted.stencil) > 0) {
            cases.push_back(make_case(wanted, n, offset++ % 2, Content::exact, random));
        }
    }
    if (wanted.element != ElementType::int32) {
        cases.push_back(make_case(wanted, kTiles, 0, Content::special, random));
    }
    return cases;
}

Case StencilWorkload::timed(const Problem& problem) const {
    std::mt19937_64 random(kPeriod);
    return make_case(stencil_request(problem), problem.sizes[0],
                     problem.alignment < std::int64_t{kFastAlignment} ? 1 : 0, Content::exact,
                     random);
}

const Kernel& stencil_kernel(PlatformKind platform) {
    static auto& kernels = *new BuiltinKernel(&made_for);
    return kernels.on(platform);
}

Kernel stencil_kernel_of(std::span<const std::string> spec) {
    return made_for(platform_of_spec(spec));
}

std::optional<double> stencil_bytes(const NamedLaunch& launch) {
    if (launch.kernel != kStencilFamily || launch.sizes.size() != 1) {
        return std::nullopt;
    }
    double lost = 0;
    if (setting_of(launch.types, "boundary") == to_string(Boundary::valid)) {
        const std::string_view text = setting_of(launch.types, "radius");
        int radius = 0;
        std::from_chars(text.data(), text.data() + text.size(), radius);
        lost = 2 * radius;
    }
    return (2 * launch.size(0) - lost) * launch.element;
}

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;

std::string_view to_string(Boundary boundary) {
    return row_of(kBoundaries, boundary, kWhatBoundary).name;
}

Boundary parse_boundary(std::string_view name) {
    return parse_name(kBoundaries, name, kWhatBoundary);
}

JITUNE_END_NAMESPACE
