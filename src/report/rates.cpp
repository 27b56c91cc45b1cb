// SPDX-License-Identifier: Apache-2.0
#include "report/rates.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "families/families.hpp"
#include "report/map_picture.hpp"
#include "sizes/size_box.hpp"
#include "support/settings.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal {

namespace {

/// Data must be this many times as large as the last-level cache to tell the memory's rate.
constexpr double kBeyondCaches = 4;

/// A number in the text of a device class; 0 if it has none.
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

std::optional<double> rate_of(const Winner& winner) {
    const auto bytes = bytes_of_winner(winner);
    return bytes ? std::optional(*bytes / winner.median_ns) : std::nullopt;
}

/// Whether the rate of so many bytes is that of the device's memory. False if the device class
/// does not say how large its caches are.
bool is_beyond_caches(const std::string& device_class, double bytes) {
    const double cache = cache_bytes(device_class);
    return cache > 0 && bytes >= kBeyondCaches * cache;
}

/// The rate of `bytes` in a time between these bounds, or the time itself.
Span span_of(std::optional<double> bytes, double low_ns, double ns, double high_ns) {
    return bytes ? Span{*bytes / high_ns, *bytes / ns, *bytes / low_ns} : Span{low_ns, ns, high_ns};
}

std::optional<RatePoint> point_of(const Winner& winner) {
    const auto sizes = exact_sizes(winner.sizes);
    if (!sizes || sizes->empty()) {
        return std::nullopt;
    }
    const auto bytes = launch_bytes(winner.key.kernel, winner.key.types, *sizes);
    const double ns = winner.median_ns;
    const Certainty& certainty = winner.certainty;
    const double part = std::min(certainty.uncertainty, 0.9);
    RatePoint point{elements_of(winner.key.kernel, *sizes),
                    span_of(bytes, ns * (1 - part), ns, ns * (1 + part))};
    point.sizes = winner.sizes;
    point.is_beyond_caches = bytes && is_beyond_caches(winner.key.device_class, *bytes);
    std::string standard;
    if (const double default_ns = winner.default_median_ns; default_ns > 0) {
        const bool known = certainty.speed_up_low > 0;
        point.standard = span_of(bytes, known ? ns * certainty.speed_up_low : default_ns,
                                 default_ns, known ? ns * certainty.speed_up_high : default_ns);
        standard = fmt::format(", default {}", time_text(default_ns));
    }
    point.hint = fmt::format("{}: {}{}{} {}", winner.sizes, time_text(ns),
                             bytes ? fmt::format(" ({} GB/s)", rate_text(*bytes / ns)) : "",
                             standard, speed_up_text(winner));
    return point;
}

/// The lane that serves these sizes; nullptr: none does.
const MapLane* serving(const std::vector<MapLane>& lanes, const Sizes& sizes) {
    const auto found = std::find_if(lanes.begin(), lanes.end(),
                                    [&](const MapLane& lane) { return lane.serves(sizes); });
    return found == lanes.end() ? nullptr : &*found;
}

/// What comparisons say of the winners at the sizes that they serve.
void add_between(RateFigure& figure, const SizeMap& map) {
    const RecordKey& key = map.coverage.key;
    const std::vector<MapLane> lanes = map_lanes(map.coverage);
    for (const CostTable::Probe& probe : map.costs.probes()) {
        const MapLane* const lane = serving(lanes, probe.sizes);
        const auto number = lane == nullptr ? std::nullopt : map.costs.find(lane->configuration);
        if (!number || !probe.has(*number) || !std::isfinite(probe.timings[*number].ns)) {
            continue;
        }
        const double ns = probe.timings[*number].ns;
        const auto bytes = launch_bytes(key.kernel, key.types, probe.sizes);
        figure.is_line = figure.is_line && probe.sizes.size() == 1;
        if (bytes.has_value() == figure.is_rate) {
            figure.between.push_back(
                {elements_of(key.kernel, probe.sizes), span_of(bytes, ns, ns, ns)});
        }
    }
}

bool is_smaller(const RatePoint& left, const RatePoint& right) {
    return left.elements < right.elements;
}

}  // namespace

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

std::vector<RateFigure> rate_figures(const ReportData& data) {
    using Name = std::tuple<std::string, std::string, std::string>;
    std::map<Name, RateFigure> figures;
    const auto name_of = [](const RecordKey& key) {
        return Name(key.kernel, key.types, key.device_class);
    };
    for (const WinnerUsage& row : data.usage.winners) {
        if (auto point = point_of(row.winner)) {
            RateFigure& figure = figures[name_of(row.winner.key)];
            figure.title = kernel_text(row.winner.key);
            figure.device_name = row.winner.provenance.device_name;
            figure.device_class = row.winner.key.device_class;
            figure.is_rate = rate_of(row.winner).has_value();
            figure.calls += row.calls;
            figure.points.push_back(std::move(*point));
        }
    }
    for (const SizeMap& map : data.maps) {
        if (const auto found = figures.find(name_of(map.coverage.key)); found != figures.end()) {
            add_between(found->second, map);
        }
    }
    std::vector<RateFigure> sorted;
    for (auto& [name, figure] : figures) {
        std::sort(figure.points.begin(), figure.points.end(), is_smaller);
        std::sort(figure.between.begin(), figure.between.end(), is_smaller);
        sorted.push_back(std::move(figure));
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) {
        return std::pair(left.calls, left.points.size()) >
               std::pair(right.calls, right.points.size());
    });
    return sorted;
}

}  // namespace jitune::internal
