// SPDX-License-Identifier: Apache-2.0
#include "report/axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "text/units.hpp"

namespace jitune::internal {

namespace {

constexpr double kLetter = 5.6;  // the usual width of one, to keep labels apart

bool holds(const Scale& scale, double value) {
    constexpr double kRounding = 1e-9;
    return value >= scale.low() * (1 - kRounding) && value <= scale.high() * (1 + kRounding);
}

double placed(Scale::Kind kind, double value) {
    return kind == Scale::Kind::linear ? value : std::log(std::max(value, 1e-300));
}

}  // namespace

Scale::Scale(Kind kind, double low, double high, double from, double to)
    : kind_(kind), low_(low), high_(high), from_(from), to_(to) {}

double Scale::operator()(double value) const {
    const double low = placed(kind_, low_);
    const double width = placed(kind_, high_) - low;
    const double part = width > 0 ? (placed(kind_, value) - low) / width : 0.5;
    return from_ + std::clamp(part, 0.0, 1.0) * (to_ - from_);
}

void ValueRange::include(double value) {
    if (value > 0) {
        low = low == 0 ? value : std::min(low, value);
        high = std::max(high, value);
    }
}

Scale ValueRange::scale(double margin, double from, double to) const {
    const bool is_empty = high == 0;
    return {Scale::Kind::logarithmic, (is_empty ? 1 : low) / margin, (is_empty ? 1 : high) * margin,
            from, to};
}

std::vector<Tick> size_ticks(const Scale& scale, std::size_t most) {
    const int first = static_cast<int>(std::ceil(std::log2(std::max(scale.low(), 1.0)) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log2(std::max(scale.high(), 1.0)) + 1e-9));
    std::vector<Tick> ticks;
    const int step = std::max(1, (last - first + static_cast<int>(most)) / static_cast<int>(most));
    for (int power = first; power <= last && power < 63; power += step) {
        const std::int64_t size = std::int64_t{1} << power;
        ticks.push_back({static_cast<double>(size), size_text(size)});
    }
    return ticks;
}

std::string number_label(double value) {
    return fmt::format("{:.6g}", value);
}

std::string time_label(double nanoseconds) {
    constexpr std::array<std::string_view, 4> kUnits{"ns", "us", "ms", "s"};
    std::size_t unit = 0;
    while (nanoseconds >= 1000 && unit + 1 < kUnits.size()) {
        nanoseconds /= 1000;
        ++unit;
    }
    return fmt::format("{:.6g} {}", nanoseconds, kUnits[unit]);
}

std::vector<Tick> round_ticks(const Scale& scale, std::size_t most, std::string (*text)(double),
                              double least_step) {
    const double width = scale.high() - scale.low();
    if (width <= 0) {
        return {{scale.low(), text(scale.low())}};
    }
    double step = std::pow(10.0, std::floor(std::log10(width)) - 1);
    step = std::max(step, least_step);
    constexpr std::array kFactors{2.0, 2.5, 2.0};  // 1, 2, 5, 10
    for (std::size_t i = 0; width / step > static_cast<double>(most); ++i) {
        step *= kFactors.at(i % kFactors.size());
    }
    std::vector<Tick> ticks;
    for (double value = std::ceil(scale.low() / step - 1e-9) * step; holds(scale, value);
         value += step) {
        ticks.push_back({value, text(value)});
    }
    return ticks;
}

std::vector<Tick> decimal_ticks(const Scale& scale, std::string (*text)(double)) {
    const double decades = std::log10(scale.high() / scale.low());
    if (decades < 0.7) {
        return round_ticks(scale, 5, text);
    }
    const std::vector<int> digits = decades < 1.2 ? std::vector{1, 2, 3, 4, 5, 7}
                                    : decades < 3 ? std::vector{1, 2, 5}
                                                  : std::vector{1};
    std::vector<Tick> ticks;
    const int first = static_cast<int>(std::floor(std::log10(scale.low())));
    const int last = static_cast<int>(std::ceil(std::log10(scale.high())));
    const int step = std::max(1, (last - first) / 8);
    for (int power = first; power <= last; power += step) {
        for (const int digit : digits) {
            const double value = digit * std::pow(10.0, power);
            if (holds(scale, value)) {
                ticks.push_back({value, text(value)});
            }
        }
    }
    return ticks;
}

void draw_x_axis(Picture& picture, const Frame& frame, const Scale& x,
                 const std::vector<Tick>& ticks, std::string_view title) {
    picture.line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
    double free_from = frame.left - 20;  // a label may stand a little to the left of the axis
    for (const Tick& tick : ticks) {
        const double place = x(tick.value);
        const double half = kLetter * static_cast<double>(tick.label.size()) / 2;
        picture.line(place, frame.bottom, place, frame.bottom + 4, "axis");
        if (place - half >= free_from) {
            picture.text(place, frame.bottom + 15, tick.label, Picture::Anchor::middle, "label");
            free_from = place + half + kLetter;
        }
    }
    picture.text(frame.right, frame.bottom + 29, title, Picture::Anchor::end, "label");
}

void draw_y_axis(Picture& picture, const Frame& frame, const Scale& y,
                 const std::vector<Tick>& ticks, std::string_view title) {
    constexpr double kLine = 12;
    double free_above = frame.bottom + kLine;
    for (const Tick& tick : ticks) {
        const double place = y(tick.value);
        picture.line(frame.left, place, frame.right, place, "rule");
        if (place <= free_above) {
            picture.text(frame.left - 6, place + 3.5, tick.label, Picture::Anchor::end, "label");
            free_above = place - kLine;
        }
    }
    picture.text(0, frame.top - 10, title, Picture::Anchor::start, "label");
}

void draw_ceiling(Picture& picture, const Frame& frame, double y, std::string_view style,
                  std::string_view words, Picture::Anchor anchor) {
    picture.line(frame.left, y, frame.right, y, style);
    const double place = anchor == Picture::Anchor::start ? frame.left + 4 : frame.right;
    picture.text_on_top(place, y - 5, words, anchor, "label");
}

}  // namespace jitune::internal
