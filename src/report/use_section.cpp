// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/call_views.hpp"
#include "report/html.hpp"
#include "report/picture.hpp"
#include "report/section.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostWinners = 60;
constexpr std::size_t kMostHoles = 25;
constexpr std::size_t kMostPauses = 15;

/// The answers as parts of one bar, each with its share if that has room.
std::string answers_bar(const UsageReport& usage) {
    constexpr double kWidth = 720;
    constexpr double kHeight = 26;
    constexpr double kReadable = 60;
    Picture picture(kWidth, kHeight, "Shares of the answers to recorded calls; the table has them",
                    "bar");
    double left = 0;
    for (const auto& [origin, words] : answer_words()) {
        const double share =
            static_cast<double>(calls_answered(usage, origin)) / static_cast<double>(usage.calls);
        const double width = share * kWidth;
        if (width <= 0) {
            continue;
        }
        const std::string style = fmt::format("bar-{}", origin);
        picture.rectangle(left, 0, width, kHeight, style,
                          fmt::format("{}: {}", words, percent_text(share)));
        if (width >= kReadable) {
            picture.text(left + 8, kHeight - 8.5, fmt::format("{} {}", origin, percent_text(share)),
                         Picture::Anchor::start, style + "-text");
        }
        left += width;
    }
    return picture.svg();
}

/// "NVIDIA H200", or with the calls on each of several devices.
std::string devices_text(const std::map<std::string, std::int64_t>& recorded_on) {
    constexpr std::size_t kMost = 8;
    std::vector<std::string> devices;
    for (const auto& [device, calls] : recorded_on) {
        if (devices.size() < kMost) {
            devices.push_back(recorded_on.size() == 1
                                  ? device
                                  : fmt::format("{} ({})", device, count_text(calls, "call")));
        }
    }
    if (recorded_on.size() > kMost) {
        devices.push_back(fmt::format("{} more", recorded_on.size() - kMost));
    }
    return fmt::format("{}", fmt::join(devices, ", "));
}

std::string recorded_text(const ReportData& data) {
    const UsageReport& usage = data.usage;
    return fmt::format(
        "{} recorded from {} to {} on {}. The time saved is an estimate: calls times "
        "what the winner is faster than the default, with its 99 % interval.",
        count_text(usage.calls, "call"), day_text(usage.first_at), day_text(usage.last_at),
        devices_text(data.recorded_on));
}

/// Configurations would push what winners save out of sight.
View without_last_column(View view) {
    view.columns.pop_back();
    for (View::Row& row : view.rows) {
        row.pop_back();
    }
    return view;
}

std::string usage_part(const ReportData& data, Allowance& room) {
    const UsageReport& usage = data.usage;
    if (usage.calls == 0) {
        return room.fit(
            "<p class=\"note\">No call is recorded. Sessions record all calls where "
            "<code>JITUNE_RECORD=all</code> is set.</p>\n");
    }
    std::string html = room.fit(paragraph(recorded_text(data)) + answers_bar(usage));
    html += html_table(answers_view(usage), room);
    html +=
        html_table(without_last_column(used_winners_view(usage, kMostWinners)), room, kFilterHint);
    return html + room.fit(paragraph(unused_text(usage)) + paragraph(replaced_text(usage)));
}

std::string holes_part(const ReportData& data, Allowance& room) {
    std::string html = room.fit(heading(3, "Work for the next sweep"));
    if (data.holes.empty()) {
        return html +
               room.fit(paragraph("All recorded calls have a winner that is not provisional."));
    }
    html += room.fit(
        "<p><code>jitune sweep worklist</code> tunes them, most worth tuning "
        "first.</p>\n");
    return html +
           html_table(worklist_view(data.holes, kMostHoles), room, "jitune worklist show has all");
}

std::string pauses_part(const ReportData& data, Allowance& room) {
    if (data.pauses.empty()) {
        return "";
    }
    const std::string title = room.fit(heading(3, "Calls that waited"));
    return title + html_table(pauses_view(data.pauses, kMostPauses), room, "jitune stats has all");
}

}  // namespace

std::string use_section(const ReportData& data, Allowance& room) {
    return usage_part(data, room) + holes_part(data, room) + pauses_part(data, room);
}

}  // namespace jitune::internal
