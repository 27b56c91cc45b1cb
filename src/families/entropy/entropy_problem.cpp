// SPDX-License-Identifier: Apache-2.0
#include "families/entropy/entropy_problem.hpp"

#include <cmath>

#include <fmt/format.h>

#include "dispatch/answer/call_check.hpp"
#include "jitune/error.hpp"

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

}  // namespace jitune::internal
