// SPDX-License-Identifier: Apache-2.0
#include "template/fill.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace jitune::internal {

namespace {

bool read(std::string_view text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace

std::optional<Fill> Fill::parse(std::string_view text) {
    constexpr std::array kWords{std::pair{std::string_view("random"), Kind::random},
                                std::pair{std::string_view("zeros"), Kind::zeros},
                                std::pair{std::string_view("ones"), Kind::ones},
                                std::pair{std::string_view("iota"), Kind::iota}};
    for (const auto& [word, kind] : kWords) {
        if (text == word) {
            return Fill{kind, 0, 0, ""};
        }
    }
    if (text.size() > 4 && text.ends_with(".npy")) {
        return Fill{Kind::file, 0, 0, std::string(text)};
    }
    constexpr std::string_view kRange = "random ";
    const auto dots = text.find("..");
    Fill fill;
    if (!text.starts_with(kRange) || dots == std::string_view::npos ||
        !read(text.substr(kRange.size(), dots - kRange.size()), fill.low) ||
        !read(text.substr(dots + 2), fill.high) || !(fill.low < fill.high)) {
        return std::nullopt;
    }
    return fill;
}

}  // namespace jitune::internal
