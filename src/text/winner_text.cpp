// SPDX-License-Identifier: Apache-2.0
#include "text/winner_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/settings.hpp"
#include "template/problem.hpp"
#include "text/units.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

std::string bound_text(const WinnerRange& range) {
    const std::string mark = range.unsure ? "?" : "";
    if (range.loss_bound <= 0) {
        return mark;
    }
    const std::string bound =
        range.loss_bound >= kMostLossBound ? "unknown" : fmt::format("{:.2f}", range.loss_bound);
    const std::string tested = range.held_out == 0 ? "not tested"
                                                   : fmt::format("on {} size{}", range.held_out,
                                                                 range.held_out == 1 ? "" : "s");
    return fmt::format("{} {}{}{}", bound, tested, mark.empty() ? "" : " ", mark);
}

std::string short_types(std::string_view types) {
    const std::string readable = readable_types(types);
    std::vector<std::string_view> names;
    for (const std::string_view setting : settings_of(readable)) {
        const std::string_view name = setting.substr(setting.find('=') + 1);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    return fmt::format("{}", fmt::join(names, " "));
}

std::string kernel_text(std::string_view kernel, std::string_view types) {
    return fmt::format("{} {}", kernel, short_types(types));
}

std::string_view verdict_text(Verdict verdict) {
    switch (verdict) {
        case Verdict::timed:
            return "timed";
        case Verdict::compile_failed:
            return "does not compile";
        case Verdict::launch_failed:
            return "does not launch";
        case Verdict::wrong_result:
            return "wrong result";
        case Verdict::timed_out:
            return "timed out";
        case Verdict::crashed:
            break;
    }
    return "crashed";
}

std::string speed_up_text(double speed_up, const Certainty& certainty) {
    const auto& [conditions, uncertainty, low, high] = certainty;
    const bool is_marked = is_disturbed(speed_up, certainty);
    if (speed_up <= 0) {
        return is_marked ? "?" : "";
    }
    const std::string figure =
        is_scattered(speed_up, certainty) ? fmt::format("{:.2f}x to {:.2f}x", low, high)
        : high > 0 ? fmt::format("{:.2f}x ±{:.2f}", speed_up, (high - low) / 2)
                   : fmt::format("{:.2f}x", speed_up);
    return figure + (is_marked ? " ?" : "");
}

std::string speed_up_text(const Winner& winner) {
    return speed_up_text(winner.default_median_ns / winner.median_ns, winner.certainty);
}

View::Cell speed_up_cell(const Winner& winner) {
    return {speed_up_text(winner), winner.default_median_ns / winner.median_ns};
}

std::string provisional_text(const Winner& winner) {
    return fmt::format("{}{}",
                       winner.pinned ? "pinned: no tuning replaces it"
                       : trust_of(winner) == Trust::provisional
                           ? "the next sweep on a quiet machine tunes it again"
                           : "kept, because the machine was never quiet",
                       may_be_slower(winner) ? "; the default serves where it is another one" : "");
}

View::Cell speed_ups_cell(std::span<const Winner* const> winners) {
    double low = 0;
    double high = 0;
    for (const Winner* const winner : winners) {
        const double speed_up = winner->default_median_ns / winner->median_ns;
        low = speed_up > 0 && (low == 0 || speed_up < low) ? speed_up : low;
        high = std::max(high, speed_up);
    }
    if (high == 0) {
        return "";
    }
    const std::string least = ratio_text(low);
    const std::string most = ratio_text(high);
    return {least == most ? most : least + ".." + most, high};
}

std::vector<double> speed_ups_of(std::span<const Winner> winners) {
    std::vector<double> speed_ups;
    for (const Winner& winner : winners) {
        if (winner.default_median_ns > 0) {
            speed_ups.push_back(winner.default_median_ns / winner.median_ns);
        }
    }
    return speed_ups;
}

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string gain_text(std::vector<double> speed_ups) {
    if (speed_ups.empty()) {
        return "";
    }
    const auto [least, most] = std::minmax_element(speed_ups.begin(), speed_ups.end());
    const std::string range =
        speed_ups.size() == 1 ? "" : fmt::format(" ({:.2f}x to {:.2f}x)", *least, *most);
    return fmt::format("{:.2f}x{}", median_of(std::move(speed_ups)), range);
}

std::string served_percent(double share) {
    constexpr double kRounding = 1e-6;  // of sums that should be 1
    return fmt::format("{:.1f} %", std::floor(std::min(share, 1.0) * 1000 + kRounding) / 10);
}

std::string speed_up_interval_text(const Certainty& certainty) {
    return certainty.speed_up_high > 0
               ? fmt::format("99 %: {:.3f}x to {:.3f}x", certainty.speed_up_low,
                             certainty.speed_up_high)
               : "";
}

}  // namespace jitune::internal
