// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "report/escape.hpp"
#include "report/html_table.hpp"
#include "report/labels.hpp"
#include "report/problem_picture.hpp"
#include "report/section.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostStrips = 6;

std::string disturbance_text(const Conditions& conditions) {
    std::string text;
    const auto add = [&](bool holds, std::string_view words) {
        if (holds) {
            text += text.empty() ? "" : ", ";
            text += words;
        }
    };
    add(conditions.contended, "processors contended");
    add(conditions.shared, "device shared");
    add(conditions.clocks == Clocks::noisy, "clocks changed");
    return text.empty() ? "none seen" : text;
}

std::string uncertainty_text(double uncertainty) {
    return uncertainty < 1 ? fmt::format("{:.2f} %", 100 * uncertainty) : "not known";
}

std::string finals_table(const TriedProblem& problem, Allowance& room) {
    HtmlTable table("The finalists", {{"row", ColumnKind::number},
                                      {"median", ColumnKind::number},
                                      {"known within", ColumnKind::number},
                                      {"samples", ColumnKind::number},
                                      {"clocks"},
                                      {"disturbances"},
                                      {"configuration"}});
    for (std::size_t i = 0; i < std::min(problem.finals.size(), kMostStrips); ++i) {
        const FinalStrip& strip = problem.finals[i];
        const auto samples = static_cast<double>(strip.samples_ns.size());
        table.add({HtmlCell::of(fmt::format("{}", i + 1), static_cast<double>(i + 1)),
                   HtmlCell::of(time_text(strip.median_ns), strip.median_ns),
                   HtmlCell::of(uncertainty_text(strip.uncertainty), strip.uncertainty),
                   HtmlCell::of(fmt::format("{}", strip.samples_ns.size()), samples),
                   HtmlCell::of(to_string(strip.conditions.clocks.value_or(Clocks::unknown))),
                   HtmlCell::of(disturbance_text(strip.conditions)),
                   HtmlCell::configuration(strip.configuration)});
    }
    return table.html(room, kMostStrips,
                      problem.finals.size() - std::min(problem.finals.size(), kMostStrips));
}

std::string finals_part(const TriedProblem& problem, Allowance& room) {
    std::string html = "<article>\n" +
                       heading(3, fmt::format("{}, {}", kernel_text(problem.key), problem.sizes)) +
                       strips_picture(problem, kMostStrips);
    Allowance rest(room.left() - std::min(room.left(), html.size()));
    html += finals_table(problem, rest);
    std::string page;
    room.add(page, html + "</article>\n");
    return page;
}

}  // namespace

std::string noise_section(const ReportData& data, Allowance& room) {
    std::string html;
    room.add(html,
             "<p class=\"note\">The finals time the fastest candidates in turn, so that all "
             "meet the same conditions. Each dot is a sample, the line is their median; a "
             "triangle at the right end stands for slower samples.</p>\n");
    std::size_t with_finals = 0;
    std::size_t shown = 0;
    bool is_full = false;
    for (const TriedProblem& problem : data.problems) {
        if (problem.finals.empty()) {
            continue;
        }
        ++with_finals;
        const std::string part = is_full ? "" : finals_part(problem, room);
        is_full = is_full || part.empty();
        shown += part.empty() ? 0 : 1;
        html += part;
    }
    if (with_finals == 0) {
        room.add(html, paragraph("No samples of finals are stored."));
    }
    return html + left_out(with_finals - shown, "problem", kFilterHint);
}

}  // namespace jitune::internal
