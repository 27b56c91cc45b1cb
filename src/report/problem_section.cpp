// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "report/html.hpp"
#include "report/problem_picture.hpp"
#include "report/section.hpp"
#include "report/tried_problem.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostParameters = 8;
constexpr std::size_t kMostValues = 6;
constexpr std::size_t kMostFailures = 8;

/// The mark of a verdict, and its words.
std::string verdict_label(Verdict verdict) {
    const VerdictMark& mark = mark_of(verdict);
    return fmt::format("{} {}", legend_mark(mark.shape, mark.style),
                       escaped(verdict_text(verdict)));
}

/// A bar from 1.00, the best, to the largest ratio of the table.
std::string ratio_bar(double ratio, double largest) {
    const double width = largest > 1 ? std::max(1.0, 100 * (ratio - 1) / (largest - 1)) : 1;
    return fmt::format(
        "<svg class=\"inline\" viewBox=\"0 0 100 8\" aria-hidden=\"true\"><rect class=\"ratio\" "
        "width=\"{:.0f}\" height=\"8\"/></svg>",
        width);
}

View effects_view(const TriedProblem& problem) {
    View view{"What each parameter does to the time, those that matter most first",
              {code_column("parameter"), code_column("value"), number_column("candidates"),
               number_column("best"), number_column("median"),
               markup_column("median over the best of all")}};
    const std::vector<ParameterEffect> effects = parameter_effects(problem.candidates);
    double largest = 1;
    for (const ParameterEffect& effect : effects) {
        largest = std::max(largest, effect.values.back().median);
    }
    for (std::size_t i = 0; i < effects.size(); ++i) {
        const std::size_t most = i < kMostParameters ? view.rows.size() + kMostValues : 0;
        view.add(effects[i].values, most, [&](const ParameterEffect::Value& value) -> View::Row {
            return {effects[i].name,
                    value.value,
                    count_cell(value.candidates),
                    ratio_cell(value.best),
                    ratio_cell(value.median),
                    {ratio_bar(value.median, largest), value.median}};
        });
    }
    return view;
}

View failures_view(const TriedProblem& problem) {
    View view{"Failures by reason",
              {markup_column("verdict"), number_column("candidates"), text_column("reason"),
               long_code_column("for example")}};
    view.add(failure_counts(problem.candidates), kMostFailures,
             [](const FailureCount& failure) -> View::Row {
                 return {verdict_label(failure.verdict), count_cell(failure.count), failure.reason,
                         failure.configuration};
             });
    return view;
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
    const std::string head =
        heading(3, problem_name(problem)) + paragraph(tried_sentence(problem)) +
        winner_sentence(problem) + "<div class=\"grid\"><figure>" + candidates_picture(problem) +
        "<figcaption>Candidates by time</figcaption></figure><figure>" + progress_picture(problem) +
        "<figcaption>Best so far</figcaption></figure></div>\n";
    return article(head, {effects_view(problem), failures_view(problem)}, room);
}

std::string verdict_legend() {
    std::vector<LegendEntry> entries;
    for (const VerdictMark& mark : verdict_marks()) {
        entries.push_back({mark.shape, mark.style, verdict_text(mark.verdict)});
    }
    entries.push_back({Shape::dot, "mark won", "the winner"});
    return legend(entries);
}

}  // namespace

std::string problem_section(const ReportData& data, Allowance& room) {
    if (data.problems.empty()) {
        return room.fit(paragraph("No measurement of a search is stored."));
    }
    const std::string marks = room.fit(verdict_legend());
    return marks + parts(data.problems, data.more_problems, "problem",
                         [&](const TriedProblem& problem) { return tried_part(problem, room); });
}

}  // namespace jitune::internal
