// SPDX-License-Identifier: Apache-2.0
#include "families/entropy/entropy_kernel.hpp"

#include <cmath>

#include <fmt/format.h>

#include "families/builtin_kernel.hpp"
#include "families/entropy/entropy_workload.hpp"
#include "jitune/error.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
constexpr std::int64_t kMostOfASize = (std::int64_t{1} << 31) - 1;

Kernel made_for(PlatformKind platform) {
    return {KernelTemplate(builtin_template(fmt::format("entropy{}", template_suffix(platform)))),
            std::make_unique<EntropyWorkload>(),
            {"entropy", std::string(to_string(platform))}};
}

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorKind::usage, "entropy: " + what);
}

}  // namespace

const Kernel& entropy_kernel(PlatformKind platform) {
    static auto& kernels = *new BuiltinKernel(&made_for);
    return kernels.on(platform);
}

Kernel entropy_kernel_of(std::span<const std::string> spec) {
    const auto platform = spec.size() == 2 ? platform_from(spec[1]) : std::nullopt;
    if (!platform) {
        throw Error(
            ErrorKind::usage,
            "cannot build an entropy kernel: malformed worker spec; is the worker of another "
            "version of jitune?");
    }
    return made_for(*platform);
}

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

double scale_of(const Entropy& entropy) {
    return entropy.base == std::numbers::e ? 1 : 1 / std::log(entropy.base);
}

}  // namespace jitune::internal
