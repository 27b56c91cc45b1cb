// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/axes.hpp"
#include "report/html.hpp"
#include "report/rates.hpp"
#include "report/section.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostFigures = 18;
constexpr std::size_t kMostPoints = 60;  // of a figure
constexpr std::size_t kMostRates = 100;  // rows of the table

const Ceiling& ceiling_of(const ReportData& data, const std::string& device_class) {
    static const Ceiling kNone;
    const auto found = data.ceilings.find(device_class);
    return found == data.ceilings.end() ? kNone : found->second;
}

Scale values_in(const RateFigure& figure, const Ceiling& ceiling, const Frame& frame) {
    ValueRange range;
    for (const RatePoint& point : figure.points) {
        range.include(point.winner.middle);
        range.include(point.standard.value_or(Span{}).middle);
    }
    for (const RatePoint& point : figure.between) {
        range.include(point.winner.middle);
    }
    if (figure.is_rate) {
        range.include(ceiling.peak.value_or(0));
        range.include(ceiling.measured.value_or(0));
    }
    return range.scale(1.3, frame.bottom, frame.top);
}

Scale sizes_in(const RateFigure& figure, const Frame& frame) {
    ValueRange range;
    for (const auto* const points : {&figure.points, &figure.between}) {
        for (const RatePoint& point : *points) {
            range.include(point.elements);
        }
    }
    return range.scale(1.2, frame.left, frame.right);
}

/// Draws a mark, and its interval if that is wider than the mark.
void draw_value(Picture& picture, double x, const Scale& y, const Span& span, Shape shape,
                std::string_view style, std::string_view hint) {
    if (y(span.low) - y(span.high) > 6) {
        picture.line(x, y(span.low), x, y(span.high), fmt::format("{} whisker", style));
    }
    picture.mark(shape, x, y(span.middle), fmt::format("mark {}", style), hint);
}

void draw_ceilings(Picture& picture, const Frame& frame, const Scale& y, const Ceiling& ceiling) {
    const auto draw = [&](std::optional<double> rate, std::string_view words,
                          std::string_view style) {
        if (rate) {
            draw_ceiling(picture, frame, y(*rate), style,
                         fmt::format("{} {} GB/s", words, rate_text(*rate)),
                         Picture::Anchor::start);
        }
    };
    draw(ceiling.peak, "memory clock", "ceiling peak");
    draw(ceiling.measured, "memory, measured", "ceiling");
}

void draw_between(Picture& picture, const RateFigure& figure, const Scale& x, const Scale& y) {
    std::vector<std::pair<double, double>> line;
    for (const RatePoint& point : thinned(figure.between, 4 * kMostPoints)) {
        const double place = x(point.elements);
        if (figure.is_line) {
            line.emplace_back(place, y(point.winner.middle));
        } else {
            picture.rectangle(place - 1, y(point.winner.middle) - 1, 2, 2, "speck");
        }
    }
    picture.path(line, "between");
}

std::string drawn(const RateFigure& figure, const Ceiling& ceiling) {
    constexpr double kWidth = 380;
    constexpr double kHeight = 250;
    const Frame frame{46, 30, kWidth - 10, kHeight - 36};
    Picture picture(kWidth, kHeight,
                    fmt::format("{} over the number of elements: {} on {}. The table has the "
                                "values.",
                                figure.is_rate ? "GB/s" : "Time", figure.title, figure.device_name),
                    "small");
    const Scale x = sizes_in(figure, frame);
    const Scale y = values_in(figure, ceiling, frame);
    draw_y_axis(picture, frame, y, decimal_ticks(y, figure.is_rate ? number_label : time_label),
                figure.is_rate ? "GB/s" : "time");
    draw_x_axis(picture, frame, x, size_ticks(x, 7), "elements");
    if (figure.is_rate) {
        draw_ceilings(picture, frame, y, ceiling);
    }
    draw_between(picture, figure, x, y);
    for (const RatePoint& point : thinned(figure.points, kMostPoints)) {
        if (point.standard) {
            draw_value(picture, x(point.elements), y, *point.standard, Shape::ring, "standard", "");
        }
        draw_value(picture, x(point.elements), y, point.winner, Shape::dot, "winner", point.hint);
    }
    return fmt::format("<figure>{}<figcaption><b>{}</b> {}</figcaption></figure>\n", picture.svg(),
                       escaped(figure.title), escaped(figure.device_name));
}

std::string key_of_figures() {
    constexpr std::array kEntries{
        LegendEntry{Shape::dot, "mark winner", "winner"},
        LegendEntry{Shape::ring, "mark standard", "the template's default"},
        LegendEntry{Shape::bar, "between turned",
                    "the winner between the sizes where it was tuned, by comparisons"},
        LegendEntry{Shape::bar, "ceiling turned", "ceiling"}};
    return legend(kEntries) +
           "<p class=\"note\">Bars are intervals, 95 % of the winner's time and 99 % of the "
           "default's; most are smaller than the mark. Both axes are logarithmic.</p>\n";
}

/// Says what the ceilings are, device class by device class.
std::string ceilings_text(const ReportData& data, const std::vector<RateFigure>& figures) {
    std::string html;
    std::map<std::string, std::string> names;
    for (const RateFigure& figure : figures) {
        names.try_emplace(figure.device_class, figure.device_name);
    }
    for (const auto& [device_class, name] : names) {
        const Ceiling& ceiling = ceiling_of(data, device_class);
        std::string text = name + ": ";
        text += ceiling.measured
                    ? fmt::format(
                          "the ceiling is the best stored rate of data that the caches cannot "
                          "hold, {} GB/s at {}.",
                          rate_text(*ceiling.measured), ceiling.measured_at)
                    : "no ceiling is stored: no winner reads four times what the last-level cache "
                      "holds. A sweep of a large size gives one.";
        if (ceiling.peak) {
            text += fmt::format(" By its clock and bus the memory delivers {} GB/s.",
                                rate_text(*ceiling.peak));
        }
        html += paragraph(text);
        if (html.size() > 4000) {
            break;
        }
    }
    return html;
}

View::Cell rate_cell(const std::optional<Span>& span, bool is_rate) {
    if (!span) {
        return "";
    }
    return {is_rate ? rate_text(span->middle) + " GB/s" : time_text(span->middle), span->middle};
}

/// The share of the ceiling that was measured, if the memory limits the rate.
View::Cell share_cell(const RatePoint& point, const Ceiling& ceiling) {
    return ceiling.measured && point.is_beyond_caches
               ? percent_cell(point.winner.middle / *ceiling.measured)
               : View::Cell("");
}

View rates_view(const ReportData& data, const std::vector<RateFigure>& figures) {
    View view{"Rates of winners and defaults where they were tuned",
              {text_column("kernel"), text_column("device"), text_column("size"),
               number_column("winner"), number_column("default"), number_column("of the ceiling")}};
    for (const RateFigure& figure : figures) {
        view.add(figure.points, kMostRates, [&](const RatePoint& point) -> View::Row {
            return {figure.title,
                    figure.device_name,
                    {point.sizes, point.elements},
                    rate_cell(point.winner, figure.is_rate),
                    rate_cell(point.standard, figure.is_rate),
                    share_cell(point, ceiling_of(data, figure.device_class))};
        });
    }
    return view;
}

}  // namespace

std::string rate_section(const ReportData& data, Allowance& room) {
    const std::vector<RateFigure> figures = rate_figures(data);
    if (figures.empty()) {
        return room.fit(paragraph("No winner is stored."));
    }
    std::string html =
        room.fit(ceilings_text(data, figures) + key_of_figures() + "<div class=\"grid\">\n");
    Allowance pictures(room.left() / 3 * 2);
    Allowance rows(room.left() - pictures.left());
    std::size_t shown = 0;
    while (
        shown < std::min(figures.size(), kMostFigures) &&
        pictures.add(html, drawn(figures[shown], ceiling_of(data, figures[shown].device_class)))) {
        ++shown;
    }
    html += "</div>\n" + left_out(figures.size() - shown, "picture", kFilterHint);
    return html + folded("The values as a table",
                         html_table(rates_view(data, figures), rows, kFilterHint));
}

}  // namespace jitune::internal
