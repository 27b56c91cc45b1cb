// SPDX-License-Identifier: Apache-2.0
#include "report/problem_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/axes.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal {

namespace {

constexpr double kPlotWidth = 380;
constexpr double kPlotHeight = 240;
constexpr double kBand = 14;  // above a plot, for candidates without a time
constexpr std::size_t kFastest = 40;
constexpr std::size_t kMostMarks = 110;
constexpr std::size_t kMostSamples = 60;

constexpr std::array kMarks{
    VerdictMark{Verdict::timed, Shape::dot, "mark timed"},
    VerdictMark{Verdict::compile_failed, Shape::cross, "mark refused"},
    VerdictMark{Verdict::launch_failed, Shape::triangle, "mark refused"},
    VerdictMark{Verdict::wrong_result, Shape::diamond, "mark wrong"},
    VerdictMark{Verdict::timed_out, Shape::square, "mark refused"},
    VerdictMark{Verdict::crashed, Shape::plus, "mark wrong"},
};

/// From the fastest to the slowest candidate and the default.
Scale times_in(const TriedProblem& problem, const Frame& frame) {
    ValueRange range;
    for (const TriedCandidate& one : problem.candidates) {
        range.include(one.ns);
    }
    if (problem.winner) {
        range.include(problem.winner->default_median_ns);
    }
    return range.scale(1.1, frame.bottom, frame.top + kBand);
}

/// The last verdict on each configuration: those with a time first, fastest first.
std::vector<const TriedCandidate*> ranked(const TriedProblem& problem) {
    std::map<std::string_view, const TriedCandidate*> last;
    for (const TriedCandidate& one : problem.candidates) {
        last[one.configuration] = &one;
    }
    std::vector<const TriedCandidate*> order;
    for (const auto& [configuration, candidate] : last) {
        order.push_back(candidate);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto* left, const auto* right) {
        return (left->ns > 0 ? left->ns : INFINITY) < (right->ns > 0 ? right->ns : INFINITY);
    });
    return order;
}

/// The places of candidates from the left, of which the first is 1.
Scale places_in(std::size_t count, const Frame& frame) {
    return {Scale::Kind::linear, 1, static_cast<double>(std::max<std::size_t>(count, 2)),
            frame.left + 6, frame.right - 6};
}

std::vector<std::size_t> numbers_below(std::size_t count) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
}

/// Times over places, with a line for the default's time.
struct Plot {
    Frame frame{58, 30, kPlotWidth - 10, kPlotHeight - 36};
    Picture picture;
    Scale x, y;

    Plot(const TriedProblem& problem, std::size_t places, std::string_view label,
         std::string_view title)
        : picture(kPlotWidth, kPlotHeight, fmt::format("{}: {}", problem_name(problem), label),
                  "small"),
          x(places_in(places, frame)),
          y(times_in(problem, frame)) {
        draw_y_axis(picture, frame, y, decimal_ticks(y, time_label), "time");
        draw_x_axis(picture, frame, x, round_ticks(x, 6, number_label, 1), title);
        if (problem.winner && problem.winner->default_median_ns > 0) {
            const double ns = problem.winner->default_median_ns;
            draw_ceiling(picture, frame, y(ns), "ceiling", "default " + time_text(ns),
                         Picture::Anchor::end);
        }
    }

    /// Marks the candidate at a place, of which the first is 0.
    void mark(std::size_t place, const TriedCandidate& one, Shape shape, std::string_view style,
              std::string_view hint = {}) {
        picture.mark(shape, x(static_cast<double>(place + 1)),
                     one.ns > 0 ? y(one.ns) : frame.top + kBand / 2 - 4, style, hint);
    }
};

}  // namespace

std::span<const VerdictMark> verdict_marks() {
    return kMarks;
}

const VerdictMark& mark_of(Verdict verdict) {
    return *std::find_if(kMarks.begin(), kMarks.end() - 1,
                         [&](const VerdictMark& mark) { return mark.verdict == verdict; });
}

std::string problem_name(const TriedProblem& problem) {
    return fmt::format("{}, {}", kernel_text(problem.key), problem.sizes);
}

std::string candidates_picture(const TriedProblem& problem) {
    const std::vector<const TriedCandidate*> order = ranked(problem);
    Plot plot(problem, order.size(),
              fmt::format("{} by time. The tables below tell the effects of parameters and the "
                          "failures.",
                          count_text(std::ssize(order), "configuration")),
              "configurations, fastest first");
    const std::size_t fastest = std::min(kFastest, order.size());
    std::vector<std::size_t> shown = numbers_below(fastest);
    for (const std::size_t rest :
         thinned(numbers_below(order.size() - fastest), kMostMarks - kFastest)) {
        shown.push_back(fastest + rest);
    }
    std::reverse(shown.begin(), shown.end());  // the fastest lie on top
    for (const std::size_t place : shown) {
        const TriedCandidate& one = *order[place];
        const bool won = problem.winner && one.configuration == problem.winner->configuration;
        const auto& [verdict, shape, style] = mark_of(one.verdict);
        plot.mark(place, one, shape, won ? "mark won" : style,
                  fmt::format("{}: {}",
                              one.ns > 0 ? time_text(one.ns) : std::string(verdict_text(verdict)),
                              one.configuration.substr(0, 160)));
    }
    return plot.picture.svg();
}

std::string progress_picture(const TriedProblem& problem) {
    Plot plot(problem, problem.candidates.size(),
              fmt::format("the best time so far over {}",
                          count_text(std::ssize(problem.candidates), "evaluation")),
              "evaluations");
    for (const std::size_t place :
         thinned(numbers_below(problem.candidates.size()), 2 * kMostMarks)) {
        const TriedCandidate& one = problem.candidates[place];
        const auto& [verdict, shape, style] = mark_of(one.verdict);
        plot.mark(place, one, one.ns > 0 ? Shape::bar : shape, one.ns > 0 ? "evaluation" : style);
    }
    auto& [frame, picture, x, y] = plot;
    double best = 0;
    std::vector<std::pair<double, double>> line;
    for (std::size_t i = 0; i < problem.candidates.size(); ++i) {
        const double ns = problem.candidates[i].ns;
        if (ns > 0 && (best == 0 || ns < best)) {
            const double place = x(static_cast<double>(i + 1));
            if (best > 0) {
                line.emplace_back(place, y(best));
            }
            line.emplace_back(place, y(ns));
            best = ns;
        }
    }
    if (best > 0) {
        line.emplace_back(frame.right - 6, y(best));
    }
    picture.path(line, "best");
    return picture.svg();
}

std::string strips_picture(const TriedProblem& problem, std::size_t most) {
    constexpr double kWidth = 760;
    constexpr double kStrip = 26;
    const std::size_t count = std::min(problem.finals.size(), most);
    const Frame frame{30, 6, kWidth - 8, 10 + kStrip * static_cast<double>(count)};
    Picture picture(kWidth, frame.bottom + 36,
                    fmt::format("{}: the samples of {} in the finals. The table below has their "
                                "medians.",
                                problem_name(problem),
                                count_text(static_cast<std::int64_t>(count), "configuration")),
                    "wide");
    ValueRange range;
    for (std::size_t i = 0; i < count; ++i) {
        for (const double ns : problem.finals[i].samples_ns) {
            range.include(ns);
        }
    }
    // A few late samples would press all the others together.
    double high = std::min(range.high, 2 * problem.finals.front().median_ns);
    high = std::max(high, problem.finals[count - 1].median_ns * 1.05);
    const Scale x(Scale::Kind::linear, range.low * 0.995, high * 1.005, frame.left, frame.right);
    double middle = frame.top + kStrip / 2;
    for (std::size_t i = 0; i < count; ++i, middle += kStrip) {
        const FinalStrip& strip = problem.finals[i];
        picture.line(frame.left, middle, frame.right, middle, "rule");
        picture.text(frame.left - 10, middle + 3.5, fmt::format("{}", i + 1), Picture::Anchor::end,
                     "label");
        for (const double ns : thinned(strip.samples_ns, kMostSamples)) {
            picture.mark(ns > high ? Shape::triangle : Shape::dot, x(ns), middle, "sample");
        }
        const double median = x(strip.median_ns);
        picture.line(median, middle - 9, median, middle + 9, "median");
    }
    draw_x_axis(picture, frame, x, round_ticks(x, 8, time_label), "time of a launch");
    return picture.svg();
}

}  // namespace jitune::internal
