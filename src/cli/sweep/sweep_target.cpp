// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_target.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

struct Unit {
    std::string_view name;
    double ns;
};
constexpr std::array kTimeUnits{Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}};

}  // namespace

SweepTarget parse_target(std::string_view word) {
    if (word.empty()) {
        return {};
    }
    double number = 0;
    const char* const last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, number);
    const std::string_view unit(end, static_cast<std::size_t>(last - end));
    if (error == std::errc() && std::isfinite(number) && number > 0) {
        if (unit == "x" && number >= 1) {
            return {0, number};
        }
        for (const Unit& one : kTimeUnits) {
            if (one.name == unit && std::isfinite(number * one.ns)) {
                return {number * one.ns, 0};
            }
        }
    }
    throw Error(
        ErrorKind::usage,
        fmt::format("--target: \"{}\" is not a target: give a time as in 800ns, 12.5us or 3ms, "
                    "or a speed-up over the default of at least 1, as in 1.5x",
                    word));
}

}  // namespace jitune::internal
