// SPDX-License-Identifier: Apache-2.0
#include "cli/families/stencil_arguments.hpp"

#include <charconv>
#include <string>

#include <fmt/format.h>

#include "cli/families/sizes.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

template <class Number>
Number parse_number(std::string_view text, std::string_view what) {
    Number number{};
    const char* const end = text.data() + text.size();
    if (const auto [stop, error] = std::from_chars(text.data(), end, number);
        error != std::errc() || stop != end) {
        throw Error(ErrorKind::usage, fmt::format("\"{}\" is not {}", text, what));
    }
    return number;
}

}  // namespace

int parse_radius(std::string_view text) {
    const int radius = parse_number<int>(text, "a radius");
    if (radius < 1 || radius > Stencil::kMaxRadius) {
        throw Error(ErrorKind::usage,
                    fmt::format("radius {}: must be from 1 to {}", radius, Stencil::kMaxRadius));
    }
    return radius;
}

std::vector<double> parse_weights(std::string_view text) {
    std::vector<double> weights;
    for (const std::string& word : parse_list("--weights", text)) {
        weights.push_back(parse_number<double>(word, "a weight"));
    }
    return weights;
}

}  // namespace jitune::internal
