// SPDX-License-Identifier: Apache-2.0
#include "cli/db/merge_text.hpp"

#include <fmt/format.h>

#include "cli/db/winner_filter.hpp"
#include "support/utf8.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/precedence.hpp"

namespace jitune::internal {

namespace {

std::string shown(const std::string& text) {
    return one_line(text, kShownCharacters);
}

std::string meeting_text(const MergeMeeting& meeting) {
    const Winner& first = meeting.first;
    return fmt::format("  {} {} {}: {} {} serves before {} {}: {}{}\n", shown(first.key.kernel),
                       shown(short_types(first.key.types)), shown(first.sizes), short_id(first),
                       meeting.first_is_new ? "(new)" : "(known)", short_id(meeting.second),
                       meeting.first_is_new ? "(known)" : "(new)", meeting.reason,
                       meeting.disagree
                           ? "; their intervals contradict each other: tune once more with --again"
                           : "");
}

}  // namespace

std::string merge_text(const std::string& file, const MergeReport& report, bool dry_run) {
    if (report.number == 0) {
        return fmt::format(
            "{}: nothing new{}\n", file,
            report.damaged == 0
                ? ""
                : fmt::format("; {} left out", count_text(report.damaged, "damaged row")));
    }
    std::string text = fmt::format(
        "{}: {} and {}{}{}", file, count_text(report.measurements, "new measurement"),
        count_text(report.winners, "new winner"), dry_run ? " would come" : "",
        report.known == 0 ? "" : fmt::format(", {} known", count_text(report.known, "row")));
    if (report.superseded > 0) {
        text += fmt::format(", {} superseded", count_text(report.superseded, "winner"));
    }
    if (report.damaged > 0) {
        text += fmt::format(", {} left out", count_text(report.damaged, "damaged row"));
    }
    text += '\n';
    if (report.without_code > 0) {
        text += fmt::format(
            "  {} no code, which was not trusted: calls that meet {} compile and check {} here\n",
            report.without_code == 1 ? "1 winner has"
                                     : fmt::format("{} winners have", report.without_code),
            report.without_code == 1 ? "it" : "them", report.without_code == 1 ? "it" : "them");
    }
    for (const MergeMeeting& meeting : report.meetings) {
        if (meeting.disagree || (meeting.first_is_new && may_serve(trust_of(meeting.first)))) {
            text += meeting_text(meeting);
        }
    }
    return text;
}

Json merge_json(const std::string& file, const MergeReport& report) {
    Json meetings = Json::array();
    for (const MergeMeeting& meeting : report.meetings) {
        meetings.push_back({{"first", winner_id(meeting.first)},
                            {"second", winner_id(meeting.second)},
                            {"first_is_new", meeting.first_is_new},
                            {"disagree", meeting.disagree},
                            {"reason", meeting.reason}});
    }
    return {{"file", file},
            {"merge", report.number},
            {"measurements", report.measurements},
            {"winners", report.winners},
            {"without_code", report.without_code},
            {"known", report.known},
            {"superseded", report.superseded},
            {"damaged", report.damaged},
            {"all_meetings", report.all_meetings},
            {"meetings", meetings}};
}

}  // namespace jitune::internal
