// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "report/escape.hpp"
#include "report/failure_counts.hpp"
#include "report/html_table.hpp"
#include "report/labels.hpp"
#include "report/parameter_effects.hpp"
#include "report/problem_picture.hpp"
#include "report/section.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/pin.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostParameters = 8;
constexpr std::size_t kMostValues = 6;
constexpr std::size_t kMostFailures = 8;
constexpr std::size_t kMostRowsOfEffects = kMostParameters * kMostValues;

/// A bar from 1.00, the best, to the largest ratio of the table.
std::string ratio_bar(double ratio, double largest) {
    const double width = largest > 1 ? std::max(1.0, 100 * (ratio - 1) / (largest - 1)) : 1;
    return fmt::format(
        "<svg class=\"inline\" viewBox=\"0 0 100 8\" aria-hidden=\"true\"><rect class=\"ratio\" "
        "width=\"{:.0f}\" height=\"8\"/></svg>",
        width);
}

std::string effects_table(const TriedProblem& problem, Allowance& room) {
    const std::vector<ParameterEffect> effects = parameter_effects(problem.candidates);
    HtmlTable table("What each parameter does to the time, those that matter most first",
                    {{"parameter"},
                     {"value"},
                     {"candidates", ColumnKind::number},
                     {"best", ColumnKind::number},
                     {"median", ColumnKind::number},
                     {"median over the best of all"}});
    std::size_t more = 0;
    double largest = 1;
    for (const ParameterEffect& effect : effects) {
        largest = std::max(largest, effect.values.back().median);
    }
    for (std::size_t i = 0; i < effects.size(); ++i) {
        for (std::size_t j = 0; j < effects[i].values.size(); ++j) {
            const ParameterEffect::Value& value = effects[i].values[j];
            if (i >= kMostParameters || j >= kMostValues) {
                ++more;
                continue;
            }
            table.add({HtmlCell::code(effects[i].name),
                       HtmlCell::code(value.value),
                       HtmlCell::of(fmt::format("{}", value.candidates),
                                    static_cast<double>(value.candidates)),
                       HtmlCell::of(ratio_text(value.best), value.best),
                       HtmlCell::of(ratio_text(value.median), value.median),
                       {ratio_bar(value.median, largest), fmt::format("{:.6g}", value.median)}});
        }
    }
    return table.html(room, kMostRowsOfEffects, more);
}

std::string failures_table(const TriedProblem& problem, Allowance& room) {
    const std::vector<FailureCount> failures = failure_counts(problem.candidates);
    HtmlTable table("Failures by reason",
                    {{"verdict"}, {"candidates", ColumnKind::number}, {"reason"}, {"for example"}});
    for (std::size_t i = 0; i < std::min(failures.size(), kMostFailures); ++i) {
        const FailureCount& failure = failures[i];
        table.add(
            {{legend_mark(verdict_shape(failure.verdict), verdict_style(failure.verdict)) + " " +
              escaped(verdict_text(failure.verdict))},
             HtmlCell::of(fmt::format("{}", failure.count), static_cast<double>(failure.count)),
             HtmlCell::of(failure.reason),
             HtmlCell::configuration(failure.configuration)});
    }
    return table.html(room, kMostFailures,
                      failures.size() - std::min(failures.size(), kMostFailures));
}

std::string tried_sentence(const TriedProblem& problem) {
    std::set<std::string_view> configurations;
    double best = 0;
    for (const TriedCandidate& one : problem.candidates) {
        configurations.insert(one.configuration);
        best = one.ns > 0 && (best == 0 || one.ns < best) ? one.ns : best;
    }
    std::string text =
        fmt::format("On {}, {} of {}.", problem.device_name,
                    count_text(std::ssize(problem.candidates), "evaluation"),
                    count_text(static_cast<std::int64_t>(configurations.size()), "configuration"));
    if (best > 0) {
        text += fmt::format(" The fastest took {} in the search.", time_text(best));
    }
    if (problem.calls > 0) {
        text += fmt::format(" {} near this size {} recorded.", count_text(problem.calls, "call"),
                            problem.calls == 1 ? "is" : "are");
    }
    return text;
}

std::string winner_sentence(const TriedProblem& problem) {
    if (!problem.winner) {
        return "<p class=\"note\">No stored winner was tuned at exactly this size.</p>\n";
    }
    const std::string speed_up = speed_up_text(*problem.winner);
    return fmt::format(
        "<p>{}: <code>{}</code>, {} there{}</p>\n",
        problem.winner->pinned ? "Pinned winner" + escaped(chosen_by_text(*problem.winner))
                               : "Winner of the finals",
        escaped(problem.winner->configuration), escaped(time_text(problem.winner->median_ns)),
        speed_up.empty() ? "" : ", " + escaped(speed_up) + " as fast as the default");
}

std::string tried_part(const TriedProblem& problem, Allowance& room) {
    std::string html =
        "<article>\n" + heading(3, fmt::format("{}, {}", kernel_text(problem.key), problem.sizes)) +
        paragraph(tried_sentence(problem)) + winner_sentence(problem) +
        "<div class=\"grid\"><figure>" + candidates_picture(problem) +
        "<figcaption>Candidates by time</figcaption></figure><figure>" + progress_picture(problem) +
        "<figcaption>Best so far</figcaption></figure></div>\n";
    Allowance rest(room.left() - std::min(room.left(), html.size()));
    html += effects_table(problem, rest);
    html += failures_table(problem, rest);
    std::string page;
    room.add(page, html + "</article>\n");
    return page;
}

std::string verdict_legend() {
    std::string html = "<p class=\"legend\">";
    for (const Verdict verdict : {Verdict::timed, Verdict::compile_failed, Verdict::launch_failed,
                                  Verdict::wrong_result, Verdict::timed_out, Verdict::crashed}) {
        html += fmt::format("<span>{} {}</span>",
                            legend_mark(verdict_shape(verdict), verdict_style(verdict)),
                            escaped(verdict_text(verdict)));
    }
    return html +
           fmt::format("<span>{} the winner</span></p>\n", legend_mark(Shape::dot, "mark won"));
}

}  // namespace

std::string problem_section(const ReportData& data, Allowance& room) {
    std::string html;
    if (data.problems.empty()) {
        room.add(html, paragraph("No measurement of a search is stored."));
        return html;
    }
    room.add(html, verdict_legend());
    std::size_t shown = 0;
    for (const TriedProblem& problem : data.problems) {
        const std::string part = tried_part(problem, room);
        if (part.empty()) {
            break;
        }
        html += part;
        ++shown;
    }
    return html +
           left_out(data.problems.size() - shown + data.more_problems, "problem", kFilterHint);
}

}  // namespace jitune::internal
