// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/session.hpp"
#include "report/escape.hpp"
#include "report/html_table.hpp"
#include "report/labels.hpp"
#include "report/section.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostWinners = 60;
constexpr std::size_t kMostHoles = 25;
constexpr std::size_t kMostPauses = 15;

struct OriginWords {
    Origin origin;
    std::string_view words;
    std::string_view style;
};

/// In the order of the bar: what winners answer first.
constexpr std::array kOrigins{
    OriginWords{Origin::stored, "a stored winner", "bar-stored"},
    OriginWords{Origin::tuned, "a winner tuned in that session", "bar-tuned"},
    OriginWords{Origin::pinned, "a configuration that the caller pinned", "bar-pinned"},
    OriginWords{Origin::nearest, "the winner of the nearest sizes", "bar-nearest"},
    OriginWords{Origin::template_default, "the template's default", "bar-default"},
};

std::int64_t calls_of_origin(const UsageReport& usage, Origin origin) {
    const auto found = usage.origins.find(std::string(to_string(origin)));
    return found == usage.origins.end() ? 0 : found->second;
}

double share_of(const UsageReport& usage, std::int64_t calls) {
    return static_cast<double>(calls) / static_cast<double>(usage.calls);
}

/// The answers as parts of one bar, each with its share where that has room.
std::string answers_bar(const UsageReport& usage) {
    constexpr double kWidth = 720;
    constexpr double kHeight = 26;
    constexpr double kReadable = 60;
    Picture picture(kWidth, kHeight, "Shares of the answers to recorded calls; the table has them",
                    "bar");
    double left = 0;
    for (const auto& [origin, words, style] : kOrigins) {
        const double share = share_of(usage, calls_of_origin(usage, origin));
        const double width = share * kWidth;
        if (width <= 0) {
            continue;
        }
        picture.rectangle(left, 0, width, kHeight, style,
                          fmt::format("{}: {}", words, percent_text(share)));
        if (width >= kReadable) {
            picture.text(left + 8, kHeight - 8.5,
                         fmt::format("{} {}", to_string(origin), percent_text(share)),
                         Picture::Anchor::start, std::string(style) + "-text");
        }
        left += width;
    }
    return picture.svg();
}

std::string answers_table(const UsageReport& usage, Allowance& room) {
    HtmlTable table(
        "What answered the recorded calls",
        {{"answer"}, {"which is"}, {"calls", ColumnKind::number}, {"share", ColumnKind::number}});
    const auto add = [&](std::string_view origin, std::string_view words, std::int64_t calls) {
        if (calls > 0) {
            table.add({HtmlCell::of(origin), HtmlCell::of(words),
                       HtmlCell::of(fmt::format("{}", calls), static_cast<double>(calls)),
                       HtmlCell::of(percent_text(share_of(usage, calls)), share_of(usage, calls))});
        }
    };
    std::int64_t others = usage.calls;
    for (const auto& [origin, words, style] : kOrigins) {
        const std::int64_t calls = calls_of_origin(usage, origin);
        add(to_string(origin), words, calls);
        others -= calls;
    }
    add("others", "unknown to this build", others);
    return table.html(room, kOrigins.size() + 1);
}

std::string winners_table(const UsageReport& usage, Allowance& room) {
    HtmlTable table("Winners by the time that they saved", {{"kernel"},
                                                            {"serves"},
                                                            {"device"},
                                                            {"calls", ColumnKind::number},
                                                            {"last"},
                                                            {"speed-up", ColumnKind::number},
                                                            {"saved", ColumnKind::number}});
    std::size_t added = 0;
    std::size_t used = 0;
    for (const WinnerUsage& row : usage.winners) {
        used += row.calls > 0 ? 1 : 0;
        if (row.calls > 0 && added < kMostWinners) {
            ++added;
            const Winner& winner = row.winner;
            table.add(
                {HtmlCell::of(kernel_text(winner.key)), HtmlCell::of(short_served_text(winner)),
                 HtmlCell::of(winner.provenance.device_name),
                 HtmlCell::of(fmt::format("{}", row.calls), static_cast<double>(row.calls)),
                 HtmlCell::day(row.last_at),
                 HtmlCell::of(speed_up_text(winner), winner.default_median_ns / winner.median_ns),
                 HtmlCell::of(saved_text(row.saved), row.saved.seconds)});
        }
    }
    return table.html(room, kMostWinners, used - added, kFilterHint);
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

std::string usage_part(const ReportData& data, Allowance& room) {
    const UsageReport& usage = data.usage;
    std::string html;
    if (usage.calls == 0) {
        room.add(html,
                 "<p class=\"note\">No call is recorded. Sessions record all calls where "
                 "<code>JITUNE_RECORD=all</code> is set.</p>\n");
        return html;
    }
    room.add(html, paragraph(recorded_text(data)) + answers_bar(usage));
    html += answers_table(usage, room);
    html += winners_table(usage, room);
    const auto unused = std::count_if(usage.winners.begin(), usage.winners.end(),
                                      [](const WinnerUsage& row) { return row.calls == 0; });
    std::string rest = fmt::format("{} of {} served no recorded call.", unused,
                                   count_text(std::ssize(usage.winners), "winner"));
    if (usage.replaced > 0) {
        rest += fmt::format(" {} were answered by winners that others have replaced since.",
                            count_text(usage.replaced, "call"));
    }
    if (usage.withheld > 0) {
        rest += fmt::format(" The default answered {} in the place of a provisional winner.",
                            count_text(usage.withheld, "call"));
    }
    room.add(html, paragraph(rest));
    return html;
}

std::string holes_part(const ReportData& data, Allowance& room) {
    std::string html;
    room.add(html, heading(3, "Work for the next sweep"));
    if (data.holes.empty()) {
        room.add(html, paragraph("All recorded calls have a winner that is not provisional."));
        return html;
    }
    room.add(html,
             "<p><code>jitune sweep worklist</code> tunes them, most worth tuning "
             "first.</p>\n");
    HtmlTable table("Problems that calls had no winner for, or a provisional one",
                    {{"kernel"},
                     {"sizes"},
                     {"device"},
                     {"answered by"},
                     {"calls", ColumnKind::number},
                     {"would save about", ColumnKind::number},
                     {"last"}});
    for (std::size_t i = 0; i < std::min(data.holes.size(), kMostHoles); ++i) {
        const WorkItem& item = data.holes[i];
        const CallRecord& miss = item.misses.front();
        table.add({HtmlCell::of(kernel_text(miss.key)), HtmlCell::of(miss.sizes),
                   HtmlCell::of(miss.device_name),
                   HtmlCell::of(item.is_provisional ? miss.origin + ", provisional" : miss.origin),
                   HtmlCell::of(fmt::format("{}", item.calls()), static_cast<double>(item.calls())),
                   HtmlCell::of(time_text(item.saved_s * 1e9), item.saved_s),
                   HtmlCell::day(miss.last_at)});
    }
    return html + table.html(room, kMostHoles,
                             data.holes.size() - std::min(data.holes.size(), kMostHoles),
                             "jitune worklist show has all");
}

std::string pauses_part(const ReportData& data, Allowance& room) {
    if (data.pauses.empty()) {
        return "";
    }
    std::string html;
    room.add(html, heading(3, "Calls that waited"));
    HtmlTable table("Calls that waited for an answer for 1 ms or longer",
                    {{"kernel"},
                     {"device"},
                     {"answer"},
                     {"pauses", ColumnKind::number},
                     {"longest", ColumnKind::number},
                     {"at"},
                     {"last"}});
    for (std::size_t i = 0; i < std::min(data.pauses.size(), kMostPauses); ++i) {
        const Pause& pause = data.pauses[i];
        const double longest_ns = static_cast<double>(pause.longest_us) * 1000;
        table.add({HtmlCell::of(kernel_text(pause.kernel, pause.types)),
                   HtmlCell::of(pause.device_name), HtmlCell::of(pause.origin),
                   HtmlCell::of(fmt::format("{}", pause.pauses), static_cast<double>(pause.pauses)),
                   HtmlCell::of(time_text(longest_ns), longest_ns),
                   HtmlCell::of(pause.longest_sizes), HtmlCell::day(pause.last_at)});
    }
    return html + table.html(room, kMostPauses,
                             data.pauses.size() - std::min(data.pauses.size(), kMostPauses),
                             "jitune stats has all");
}

}  // namespace

std::string use_section(const ReportData& data, Allowance& room) {
    return usage_part(data, room) + holes_part(data, room) + pauses_part(data, room);
}

}  // namespace jitune::internal
