// SPDX-License-Identifier: Apache-2.0
#include "families/entropy/entropy_kernel.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>

#include <fmt/format.h>

#include "dispatch/answer/call_check.hpp"
#include "families/entropy/entropy_reference.hpp"
#include "jitune/error.hpp"
#include "template/template_headers.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal {

namespace {

constexpr std::int64_t kMostOfASize = (std::int64_t{1} << 31) - 1;

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorKind::usage, "entropy: " + what);
}

}  // namespace

void refuse_bad_entropy(const detail::EntropyRequest& request) {
    const auto& [element, rows, columns, entropy] = request;
    if (entropy.window < 3 || entropy.window > 15 || entropy.window % 2 == 0) {
        refuse(fmt::format("the window is {}: must be odd, from 3 to 15", entropy.window));
    }
    if (entropy.levels < 2 || entropy.levels > 256) {
        refuse(fmt::format("{} levels: must be from 2 to 256", entropy.levels));
    }
    if (!(entropy.base > 0 && std::isfinite(entropy.base)) || entropy.base == 1) {
        refuse(fmt::format("the base is {}: must be positive and not 1", entropy.base));
    }
    if (rows < 0 || columns < 0) {
        refuse(fmt::format("{} x {} elements: sizes must not be negative", rows, columns));
    }
    if (rows > kMostOfASize || columns > kMostOfASize ||
        (rows > 0 && columns > kMostElements / rows)) {
        refuse(fmt::format("{} x {} elements: at most 2^40, and 2^31 - 1 rows and columns", rows,
                           columns));
    }
}

std::array<std::int64_t, 2> sizes_of(const detail::EntropyRequest& request) {
    const auto& [element, rows, columns, entropy] = request;
    return columns == 1 ? std::array{columns, rows} : std::array{rows, columns};
}

std::size_t row_alignment(const detail::EntropyRequest& request) {
    constexpr std::size_t kMost = 16;
    if (request.columns == 1) {  // one row, see sizes_of()
        return kMost;
    }
    const std::size_t row =
        static_cast<std::size_t>(request.columns) * bytes_of(request.element) | kMost;
    return row & (~row + 1);
}

Problem entropy_problem(const detail::EntropyRequest& request) {
    Problem problem;
    problem.kernel = "entropy";
    problem.types = {{"element", std::string(to_string(request.element))},
                     {"window", std::to_string(request.entropy.window)},
                     {"levels", std::to_string(request.entropy.levels)}};
    const auto sizes = sizes_of(request);
    problem.sizes = {sizes.begin(), sizes.end()};
    problem.alignment = static_cast<std::int64_t>(row_alignment(request));
    return problem;
}

detail::EntropyRequest entropy_request(const Problem& problem) {
    const detail::EntropyRequest request{
        parse_element_type(problem.types.at("element")),
        problem.sizes.at(0),
        problem.sizes.at(1),
        {number_type(problem, "window"), number_type(problem, "levels")}};
    refuse_bad_entropy(request);
    return request;
}

double scale_of(const Entropy& entropy) {
    return entropy.base == std::numbers::e ? 1 : 1 / std::log(entropy.base);
}

namespace {

using Bytes = std::vector<std::byte>;

// A prime, so that each row starts at another place of the pattern than the row above.
constexpr std::int64_t kPeriod = 262'147;
constexpr double kTolerance = 2e-6;

enum class Content {
    noise,
    areas,      ///< of one level, with a little noise
    one_level,  ///< the highest
    strays,     ///< noise with elements outside of the levels
};

struct Check {
    std::int64_t rows, columns;
    std::size_t offset;  ///< elements past an aligned address
    Content content;
};

// Thin arrays, primes, and whole packs in enough rows for tiles without a border.
constexpr Check kChecks[] = {
    {1, 1, 1, Content::noise},     {1, 67, 0, Content::noise},     {131, 1, 3, Content::noise},
    {3, 5, 1, Content::areas},     {37, 541, 1, Content::strays},  {1061, 131, 0, Content::areas},
    {563, 640, 0, Content::noise}, {149, 1024, 0, Content::areas}, {83, 512, 0, Content::one_level},
    {97, 768, 0, Content::strays},
};

/// An element that kernels must map to `level`.
template <class T>
T element_of(std::uint8_t level, int levels, bool stray) {
    if constexpr (sizeof(T) > 1) {
        using Limits = std::numeric_limits<T>;
        if (stray && level == 0) {
            return Limits::has_quiet_NaN ? Limits::quiet_NaN() : Limits::lowest();
        }
        if (stray && level == levels - 1) {
            return Limits::max();
        }
    } else if (stray && level == levels - 1) {
        return std::numeric_limits<T>::max();
    }
    return static_cast<T>(level);
}

std::vector<std::uint8_t> make_levels(const Check& check, std::int64_t count, int levels,
                                      std::mt19937& random) {
    constexpr std::int64_t kArea = 11;  // elements on a side
    std::vector<std::uint8_t> result(static_cast<std::size_t>(count));
    std::uniform_int_distribution<int> any(0, levels - 1);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t area = i / check.columns / kArea * 5 + i % check.columns / kArea * 3;
        const bool noisy = check.content == Content::noise || check.content == Content::strays ||
                           (check.content == Content::areas && random() % 16 == 0);
        const std::int64_t level = noisy                                 ? any(random)
                                   : check.content == Content::one_level ? levels - 1
                                                                         : area % levels;
        result[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(level);
    }
    return result;
}

Bytes elements_of(const std::vector<std::uint8_t>& levels, ElementType type, int level_count,
                  bool strays) {
    return visit_element(type, [&]<class T>(T) {
        Bytes bytes(levels.size() * sizeof(T));
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const T element = element_of<T>(levels[i], level_count, strays && i % 3 == 0);
            std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof element);
        }
        return bytes;
    });
}

Case make_case(const Problem& problem, const Check& check, std::mt19937& random) {
    const auto [element, rows, columns, entropy] = entropy_request(problem);
    const std::int64_t elements = check.rows * check.columns;
    auto levels = make_levels(check, std::min(kPeriod, elements), entropy.levels, random);
    auto pattern = std::make_shared<const Bytes>(
        elements_of(levels, element, entropy.levels, check.content == Content::strays));
    const auto reference = std::make_shared<const EntropyReference>(
        LevelArray{std::move(levels), check.rows, check.columns}, entropy);
    Case one;
    one.name = fmt::format("rows={} columns={} offset={}", check.rows, check.columns, check.offset);
    one.sizes = {check.rows, check.columns};
    one.reads_all = true;
    const auto count = static_cast<std::size_t>(elements);
    CaseArgument scale;
    scale.value = std::bit_cast<std::uint64_t>(1.0);
    one.arguments = {
        {std::move(pattern), count * bytes_of(element), check.offset * bytes_of(element)},
        std::move(scale),
        CaseArgument::output(count * sizeof(float))};
    one.judge = [reference](std::span<const Bytes> outputs) {
        const auto* const first = reinterpret_cast<const float*>(outputs[0].data());
        return reference->compare({first, outputs[0].size() / sizeof(float)}, kTolerance);
    };
    return one;
}

Kernel made_for(PlatformKind platform) {
    return builtin_kernel(kEntropyFamily, platform, std::make_unique<EntropyWorkload>());
}

}  // namespace

std::vector<Case> EntropyWorkload::checks(const Problem& problem) const {
    std::mt19937 random(7);
    std::vector<Case> cases;
    for (const Check& check : kChecks) {
        cases.push_back(make_case(problem, check, random));
    }
    return cases;
}

Case EntropyWorkload::timed(const Problem& problem) const {
    std::mt19937 random(11);
    return make_case(problem, {problem.sizes[0], problem.sizes[1], 0, Content::noise}, random);
}

const Kernel& entropy_kernel(PlatformKind platform) {
    static auto& kernels = *new BuiltinKernel(&made_for);
    return kernels.on(platform);
}

Kernel entropy_kernel_of(std::span<const std::string> spec) {
    return made_for(platform_of_spec(spec));
}

std::optional<double> entropy_bytes(const NamedLaunch& launch) {
    if (launch.kernel != kEntropyFamily || launch.sizes.size() != 2) {
        return std::nullopt;
    }
    constexpr double kResult = sizeof(float);
    return launch.size(0) * launch.size(1) * (launch.element + kResult);
}

}  // namespace jitune::internal
