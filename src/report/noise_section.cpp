// SPDX-License-Identifier: Apache-2.0

#include "report/html.hpp"
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
    return uncertainty < 1 ? noise_text(uncertainty) : "not known";
}

View finals_view(const TriedProblem& problem) {
    View view{"The finalists",
              {number_column("row"), number_column("median"), number_column("known within"),
               number_column("samples"), text_column("clocks"), text_column("disturbances"),
               configuration_column()}};
    view.add(problem.finals, kMostStrips, [&](const FinalStrip& strip) -> View::Row {
        return {count_cell(view.rows.size() + 1),
                time_cell(strip.median_ns),
                {uncertainty_text(strip.uncertainty), strip.uncertainty},
                count_cell(strip.samples_ns.size()),
                to_string(strip.conditions.clocks.value_or(Clocks::unknown)),
                disturbance_text(strip.conditions),
                strip.configuration};
    });
    return view;
}

std::string finals_part(const TriedProblem& problem, Allowance& room) {
    return article(heading(3, problem_name(problem)) + strips_picture(problem, kMostStrips),
                   {finals_view(problem)}, room);
}

}  // namespace

std::string noise_section(const ReportData& data, Allowance& room) {
    std::string html = room.fit(
        "<p class=\"note\">The finals time the fastest candidates in turn, so that all "
        "meet the same conditions. Each dot is a sample, the line is their median; a "
        "triangle at the right end stands for slower samples.</p>\n");
    std::vector<const TriedProblem*> with_finals;
    for (const TriedProblem& problem : data.problems) {
        if (!problem.finals.empty()) {
            with_finals.push_back(&problem);
        }
    }
    if (with_finals.empty()) {
        html += room.fit(paragraph("No samples of finals are stored."));
    }
    return html + parts(with_finals, 0, "problem",
                        [&](const TriedProblem* problem) { return finals_part(*problem, room); });
}

}  // namespace jitune::internal
