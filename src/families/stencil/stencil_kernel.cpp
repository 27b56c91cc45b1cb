// SPDX-License-Identifier: Apache-2.0
#include "families/stencil/stencil_kernel.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <memory>
#include <random>

#include <fmt/format.h>

#include "families/stencil/stencil_reference.hpp"
#include "jitune/error.hpp"
#include "template/kernel.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

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
