// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "jitune/session.hpp"
#include "report/call_views.hpp"
#include "report/html.hpp"
#include "report/section.hpp"
#include "sweep/work_order.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal {

namespace {

/// The figures that the answer rests on.
struct Figures {
    std::int64_t winners = 0;
    std::int64_t provisional = 0;
    std::int64_t stale = 0;
    std::int64_t unserved = 0;   ///< problems of calls that no winner serves
    double median_speed_up = 0;  ///< 0: no default has a time
    double answered = 0;  ///< the part of recorded calls that winners of their sizes answered
};

Figures figures_of(const ReportData& data) {
    Figures figures;
    figures.winners = std::ssize(data.winners);
    for (const Winner& winner : data.winners) {
        figures.provisional += is_provisional(winner.certainty) ? 1 : 0;
        figures.stale += template_state(winner.key) == TemplateState::stale ? 1 : 0;
    }
    figures.unserved = unserved(data.holes);
    const std::vector<double> speed_ups = speed_ups_of(data.winners);
    figures.median_speed_up = speed_ups.empty() ? 0 : median_of(speed_ups);
    double answered = 0;
    for (const auto& [origin, calls] : data.usage.origins) {
        const bool fallback = origin == to_string(Origin::nearest) ||
                              origin == to_string(Origin::rule) ||
                              origin == to_string(Origin::template_default);
        answered += fallback ? 0 : static_cast<double>(calls);
    }
    figures.answered = data.usage.calls > 0 ? answered / static_cast<double>(data.usage.calls) : 0;
    return figures;
}

/// What keeps the table from being good, each as a sentence.
std::vector<std::string> complaints(const ReportData& data, const Figures& figures) {
    constexpr double kMostFallbacks = 0.05;
    constexpr double kManyProvisional = 0.25;
    std::vector<std::string> list;
    const auto part = [&](std::int64_t count) {
        return static_cast<double>(count) /
               static_cast<double>(std::max<std::int64_t>(figures.winners, 1));
    };
    if (data.usage.calls > 0 && 1 - figures.answered > kMostFallbacks) {
        list.push_back(fmt::format("{} of the recorded calls were answered by a fallback.",
                                   percent_text(1 - figures.answered)));
    }
    if (figures.unserved > 0) {
        list.push_back(fmt::format(
            "{} that calls have met {} no winner: jitune sweep worklist "
            "tunes {}.",
            count_text(figures.unserved, "problem"), figures.unserved == 1 ? "has" : "have",
            figures.unserved == 1 ? "it" : "them"));
    }
    if (part(figures.provisional) > kManyProvisional) {
        list.push_back(
            fmt::format("{} of {} are provisional: other processes disturbed their "
                        "tuning; a sweep on a quiet machine settles them.",
                        figures.provisional, count_text(figures.winners, "winner")));
    }
    if (!data.doubts.empty()) {
        list.push_back(fmt::format("{} in doubt: calls take longer, or the driver has changed.",
                                   count_text(std::ssize(data.doubts), "winner")));
    }
    if (figures.stale > 0) {
        list.push_back(
            fmt::format("{} of {} belong to older kernel templates and serve no call of "
                        "this build.",
                        figures.stale, count_text(figures.winners, "winner")));
    }
    return list;
}

std::string answer_of(const ReportData& data, const Figures& figures, bool has_complaints) {
    if (data.winners.empty()) {
        return data.filters.empty() ? "The table has no winner yet."
                                    : "No winner matches the filters.";
    }
    if (data.usage.calls == 0) {
        return fmt::format(
            "The table holds {}. Whether calls use it is not known: none are recorded.",
            count_text(figures.winners, "winner"));
    }
    return fmt::format(
        "{} {} of {} were answered by winners{}.",
        has_complaints ? "The table could serve its calls better."
                       : "The table serves its calls well.",
        percent_text(figures.answered), count_text(data.usage.calls, "call"),
        data.usage.saved.seconds > 0 ? ", which saved about " + saved_text(data.usage.saved) : "");
}

std::string fact(std::string_view name, std::string_view value) {
    return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(value));
}

}  // namespace

std::string summary_of(const ReportData& data) {
    const Figures figures = figures_of(data);
    const std::vector<std::string> list = complaints(data, figures);
    std::string html = fmt::format("<p class=\"answer\">{}</p>\n",
                                   escaped(answer_of(data, figures, !list.empty())));
    if (!list.empty()) {
        html += "<ul class=\"complaints\">\n";
        for (const std::string& one : list) {
            html += fmt::format("<li>{}</li>\n", escaped(one));
        }
        html += "</ul>\n";
    }
    html += "<dl class=\"facts\">\n" + fact("winners", fmt::format("{}", figures.winners));
    if (figures.median_speed_up > 0) {
        html += fact("median speed-up", ratio_text(figures.median_speed_up));
    }
    html += fact("provisional", fmt::format("{}", figures.provisional)) +
            fact("in doubt", fmt::format("{}", data.doubts.size())) +
            fact("problems without a winner", fmt::format("{}", figures.unserved)) +
            fact("calls recorded", fmt::format("{}", data.usage.calls)) +
            fact("measurements", fmt::format("{}", data.measurements));
    return html + "</dl>\n";
}

}  // namespace jitune::internal
