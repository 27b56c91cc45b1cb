// SPDX-License-Identifier: Apache-2.0
#include "report/labels.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "report/escape.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal {

namespace {

struct VerdictRow {
    Verdict verdict;
    std::string_view words;
    Shape shape;
    std::string_view style;
};

constexpr std::array kVerdicts{
    VerdictRow{Verdict::timed, "timed", Shape::dot, "mark timed"},
    VerdictRow{Verdict::compile_failed, "does not compile", Shape::cross, "mark refused"},
    VerdictRow{Verdict::launch_failed, "does not launch", Shape::triangle, "mark refused"},
    VerdictRow{Verdict::wrong_result, "wrong result", Shape::diamond, "mark wrong"},
    VerdictRow{Verdict::timed_out, "timed out", Shape::square, "mark refused"},
    VerdictRow{Verdict::crashed, "crashed", Shape::plus, "mark wrong"},
};

const VerdictRow& verdict_row(Verdict verdict) {
    return *std::find_if(kVerdicts.begin(), kVerdicts.end() - 1,
                         [&](const VerdictRow& row) { return row.verdict == verdict; });
}

}  // namespace

std::string kernel_text(const std::string& kernel, const std::string& types) {
    return kernel + ' ' + short_types(types);
}

std::string day_text(const std::string& time) {
    return one_line(time.substr(0, time.find('T')));
}

std::string percent_text(double part) {
    return fmt::format("{:.1f} %", 100 * part);
}

std::string saved_text(const SavedTime& saved) {
    const std::string middle = time_text(saved.seconds * 1e9);
    return saved.low == saved.high
               ? middle
               : fmt::format("{} ({} to {})", middle, time_text(saved.low * 1e9),
                             time_text(saved.high * 1e9));
}

std::string ratio_text(double ratio) {
    return fmt::format("{:.2f}x", ratio);
}

std::string verdict_text(Verdict verdict) {
    return std::string(verdict_row(verdict).words);
}

Shape verdict_shape(Verdict verdict) {
    return verdict_row(verdict).shape;
}

std::string_view verdict_style(Verdict verdict) {
    return verdict_row(verdict).style;
}

std::string paragraph(std::string_view text) {
    return text.empty() ? "" : fmt::format("<p>{}</p>\n", escaped(text, 1000));
}

std::string folded(std::string_view title, std::string_view html) {
    return html.empty() ? ""
                        : fmt::format("<details><summary>{}</summary>\n{}</details>\n",
                                      escaped(title), html);
}

std::string heading(int level, std::string_view text) {
    return fmt::format("<h{0}>{1}</h{0}>\n", level, escaped(text));
}

}  // namespace jitune::internal
