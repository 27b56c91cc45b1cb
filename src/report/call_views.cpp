// SPDX-License-Identifier: Apache-2.0
#include "report/call_views.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "jitune/session.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

bool has_calls(const WinnerUsage& row) {
    return row.calls > 0;
}

}  // namespace

std::string saved_text(const SavedTime& saved) {
    const std::string middle = time_text(saved.seconds * 1e9);
    return saved.low == saved.high
               ? middle
               : fmt::format("{} ({} to {})", middle, time_text(saved.low * 1e9),
                             time_text(saved.high * 1e9));
}

std::string unused_text(const UsageReport& usage) {
    const auto used = std::count_if(usage.winners.begin(), usage.winners.end(), has_calls);
    const auto unused = std::ssize(usage.winners) - used;
    return unused == 0 ? ""
                       : fmt::format("{} of {} served no recorded call", unused,
                                     count_text(std::ssize(usage.winners), "winner"));
}

std::string replaced_text(const UsageReport& usage) {
    return usage.replaced == 0
               ? ""
               : count_text(usage.replaced, "call") + " by winners that others have replaced since";
}

std::span<const AnswerWords> answer_words() {
    static const std::array kAnswers{
        AnswerWords{to_string(Origin::stored), "a stored winner"},
        AnswerWords{to_string(Origin::tuned), "a winner tuned in that session"},
        AnswerWords{to_string(Origin::pinned), "a configuration that the caller pinned"},
        AnswerWords{to_string(Origin::nearest), "the winner of the nearest sizes"},
        AnswerWords{to_string(Origin::rule), "a rule of the template for its default"},
        AnswerWords{to_string(Origin::template_default), "the template's default"},
    };
    return kAnswers;
}

std::int64_t calls_answered(const UsageReport& usage, std::string_view origin) {
    const auto found = usage.origins.find(std::string(origin));
    return found == usage.origins.end() ? 0 : found->second;
}

View answers_view(const UsageReport& usage) {
    View view{"What answered the recorded calls",
              {text_column("answer"), number_column("calls"), number_column("share"),
               detail("which is")}};
    const auto add = [&](std::string_view answer, std::int64_t calls, std::string_view words) {
        if (calls > 0) {
            const double share = static_cast<double>(calls) / static_cast<double>(usage.calls);
            view.rows.push_back({answer, count_cell(calls), percent_cell(share), words});
        }
    };
    std::int64_t others = usage.calls;
    for (const auto& [origin, words] : answer_words()) {
        const std::int64_t calls = calls_answered(usage, origin);
        add(origin, calls, words);
        if (origin == to_string(Origin::template_default)) {
            add("- though a provisional winner is stored", usage.withheld, "it may be slower");
        }
        others -= calls;
    }
    add("others", others, "unknown to this build");
    return view;
}

View used_winners_view(const UsageReport& usage, std::size_t most) {
    View view{"Winners by the time that they saved",
              {text_column("kernel"), text_column("types"), text_column("serves"), detail("device"),
               number_column("calls"), day_column("last"), number_column("speed-up"),
               number_column("~saved"), configuration_column()}};
    std::vector<const WinnerUsage*> used;
    for (const WinnerUsage& row : usage.winners) {
        if (has_calls(row)) {
            used.push_back(&row);
        }
    }
    view.add(used, most, [&](const WinnerUsage* row) -> View::Row {
        const Winner& winner = row->winner;
        const View::Cell speed_up = speed_up_cell(winner);
        if (speed_up.text.ends_with('?')) {
            view.note = kDisturbedLegend;
        }
        return {winner.key.kernel,
                short_types(winner.key.types),
                short_served_text(winner),
                winner.provenance.device_name,
                count_cell(row->calls),
                day_text(row->last_at),
                speed_up,
                {saved_text(row->saved), row->saved.seconds},
                server_text(winner)};
    });
    return view;
}

View pauses_view(std::span<const Pause> pauses, std::size_t most) {
    View view{
        "Calls that waited for an answer for 1 ms or longer",
        {text_column("kernel"), text_column("types"), detail("device"), text_column("answer"),
         number_column("pauses"), number_column("longest"), text_column("of"), day_column("last")}};
    view.add(pauses, most, [](const Pause& pause) -> View::Row {
        return {pause.kernel,
                short_types(pause.types),
                pause.device_name,
                pause.origin,
                count_cell(pause.pauses),
                time_cell(static_cast<double>(pause.longest_us) * 1000),
                pause.longest_sizes,
                day_text(pause.last_at)};
    });
    return view;
}

View worklist_view(std::span<const WorkItem> items, std::size_t most) {
    View view{"Problems that calls had no winner for, or a provisional one",
              {text_column("kernel"), text_column("types"), text_column("sizes"), detail("device"),
               number_column("calls"), detail(number_column("sessions")), text_column("answer"),
               number_column("~call"), number_column("~saved"), number_column("~tuning"),
               day_column("last")}};
    view.add(items, most, [](const WorkItem& item) -> View::Row {
        const CallRecord& miss = item.misses.front();
        const std::string more =
            item.misses.size() > 1 ? fmt::format(" and {} more", item.misses.size() - 1) : "";
        return {miss.key.kernel,
                short_types(miss.key.types),
                miss.sizes + more,
                miss.device_name,
                count_cell(item.calls()),
                count_cell(miss.sessions),
                miss.origin + (item.is_provisional ? " ?" : ""),
                time_cell(item.call_ns),
                time_cell(item.saved_s * 1e9),
                time_cell(item.tune_s * 1e9),
                day_text(miss.last_at)};
    });
    view.note =
        "~ estimated from stored winners of the kernel on such a device, or a rough guess;\n"
        "  saved: by a brief tuning, of the calls so far\n";
    if (std::any_of(items.begin(), items.end(),
                    [](const WorkItem& item) { return item.is_provisional; })) {
        view.note += "? has a provisional winner, which a quiet machine tunes again\n";
    }
    return view;
}

View doubts_view(std::span<const Doubt> doubts, std::size_t most) {
    View view{"Winners in doubt, which are raced again before anything is tuned",
              {text_column("kernel"), text_column("types"), text_column("tuned at"),
               detail("device"), detail(configuration_column()), text_column("why"),
               detail(number_column("reports")), day_column("last")}};
    view.add(doubts, most, [](const Doubt& doubt) -> View::Row {
        return {doubt.key.kernel,          short_types(doubt.key.types), doubt.sizes,
                doubt.device_name,         doubt.configuration,          doubt_sentence(doubt),
                count_cell(doubt.reports), day_text(doubt.last_at)};
    });
    return view;
}

}  // namespace jitune::internal
