// SPDX-License-Identifier: Apache-2.0
#include "report/ceilings.hpp"

#include <charconv>

#include <fmt/format.h>

#include "families/families.hpp"
#include "sizes/size_box.hpp"
#include "template/problem.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal {

namespace {

/// Data must be this many times as large as the last-level cache to tell the memory's rate.
constexpr double kBeyondCaches = 4;

/// A number in the text of a device class; 0 where it has none.
double number_in(const std::string& device_class, std::string_view name) {
    const std::string_view text = setting_of(device_class, name);
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

double cache_bytes(const std::string& device_class) {
    const double of_gpu = number_in(device_class, "l2");
    return of_gpu > 0 ? of_gpu : number_in(device_class, "cache");
}

/// Two transfers per clock and line of the bus.
std::optional<double> peak_of(const std::string& device_class) {
    const double peak =
        2e-6 * number_in(device_class, "memclk") * number_in(device_class, "bus") / 8;
    return peak > 0 ? std::optional(peak) : std::nullopt;
}

std::optional<double> bytes_of_winner(const Winner& winner) {
    const auto sizes = exact_sizes(winner.sizes);
    return sizes ? launch_bytes(winner.key.kernel, winner.key.types, *sizes) : std::nullopt;
}

}  // namespace

std::optional<double> rate_of(const Winner& winner) {
    const auto bytes = bytes_of_winner(winner);
    return bytes ? std::optional(*bytes / winner.median_ns) : std::nullopt;
}

bool is_beyond_caches(const std::string& device_class, double bytes) {
    const double cache = cache_bytes(device_class);
    return cache > 0 && bytes >= kBeyondCaches * cache;
}

std::map<std::string, Ceiling> ceilings_of(std::span<const Winner> winners) {
    std::map<std::string, Ceiling> ceilings;
    for (const Winner& winner : winners) {
        const std::string& device_class = winner.key.device_class;
        const auto [place, is_new] = ceilings.try_emplace(device_class);
        Ceiling& ceiling = place->second;
        if (is_new) {
            ceiling.peak = peak_of(device_class);
        }
        const auto bytes = bytes_of_winner(winner);
        if (!bytes || !is_beyond_caches(device_class, *bytes)) {
            continue;
        }
        const double rate = *bytes / winner.median_ns;
        if (rate > ceiling.measured.value_or(0)) {
            ceiling.measured = rate;
            ceiling.measured_at = fmt::format("{} {} {}", winner.key.kernel,
                                              short_types(winner.key.types), winner.sizes);
        }
    }
    return ceilings;
}

}  // namespace jitune::internal
