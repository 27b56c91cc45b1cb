// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "report/call_views.hpp"
#include "report/html.hpp"
#include "report/section.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostRows = 40;

/// Winners that have something in common.
struct Crowd {
    std::int64_t winners = 0;
    std::int64_t provisional = 0;
    std::string oldest, newest;

    void add(const Winner& winner) {
        const std::string& made = winner.provenance.created_at;
        ++winners;
        provisional += is_provisional(winner.certainty) ? 1 : 0;
        oldest = oldest.empty() ? made : std::min(oldest, made);
        newest = std::max(newest, made);
    }
};

View places_view(const ReportData& data) {
    std::map<std::tuple<std::string, std::string, std::string, std::string>, Crowd> places;
    for (const Winner& winner : data.winners) {
        const Provenance& from = winner.provenance;
        places[{from.device_name, winner.key.device_class, from.driver, from.compiler}].add(winner);
    }
    View view{"Where the winners were tuned",
              {text_column("device"), text_column("driver"), text_column("compiler"),
               number_column("winners"), number_column("provisional"), day_column("oldest"),
               day_column("newest"), long_code_column("device class")}};
    view.add(places, kMostRows, [](const auto& one) -> View::Row {
        const auto& [place, crowd] = one;
        const auto& [device, device_class, driver, compiler] = place;
        return {device,
                driver,
                compiler,
                count_cell(crowd.winners),
                count_cell(crowd.provisional),
                day_text(crowd.oldest),
                day_text(crowd.newest),
                device_class};
    });
    return view;
}

/// In the order of TemplateState.
constexpr std::array kStates{"current", "stale: this build has another template",
                             "a kernel of your own, or of another build"};

View templates_view(const ReportData& data) {
    std::map<std::pair<std::string, std::string>, std::pair<TemplateState, Crowd>> templates;
    for (const Winner& winner : data.winners) {
        const RecordKey& key = winner.key;
        auto& [state, crowd] = templates[{key.kernel, key.template_hash}];
        state = template_state(key);
        crowd.add(winner);
    }
    View view{"Kernel templates, by the hash that is part of each key",
              {text_column("kernel"), code_column("template"), text_column("this build"),
               number_column("winners"), day_column("newest")}};
    view.add(templates, kMostRows, [](const auto& one) -> View::Row {
        const auto& [state, crowd] = one.second;
        return {one.first.first, one.first.second, kStates.at(static_cast<std::size_t>(state)),
                count_cell(crowd.winners), day_text(crowd.newest)};
    });
    return view;
}

/// The winners that `is_wanted` chooses. The view has the columns that tell winners apart; `others`
/// and the cells_of() a winner come behind them.
template <class IsWanted, class CellsOf>
View winners_view(const char* title, const ReportData& data, std::vector<Column> others,
                  const IsWanted& is_wanted, const CellsOf& cells_of) {
    View view{title,
              {text_column("kernel"), text_column("serves"), text_column("device"),
               number_column("speed-up")}};
    view.columns.insert(view.columns.end(), others.begin(), others.end());
    std::vector<const Winner*> wanted;
    for (const Winner& winner : data.winners) {
        if (is_wanted(winner)) {
            wanted.push_back(&winner);
        }
    }
    view.add(wanted, kMostRows, [&](const Winner* winner) -> View::Row {
        View::Row row{kernel_text(winner->key), short_served_text(*winner),
                      winner->provenance.device_name, speed_up_cell(*winner)};
        const View::Row cells = cells_of(*winner);
        row.insert(row.end(), cells.begin(), cells.end());
        return row;
    });
    return view;
}

View provisional_view(const ReportData& data) {
    return winners_view(
        "Provisional winners: how fast they are is not known well enough", data,
        {number_column("tries"), text_column("what happens"), day_column("made")},
        [](const Winner& winner) { return is_provisional(winner.certainty); },
        [](const Winner& winner) -> View::Row {
            return {count_cell(static_cast<std::int64_t>(tries_of(winner.certainty))),
                    provisional_text(winner), day_text(winner.provenance.created_at)};
        });
}

View pinned_view(const ReportData& data) {
    return winners_view(
        "Pinned winners: they serve, and no tuning replaces them", data,
        {text_column("chosen by"), configuration_column(), day_column("made")},
        [](const Winner& winner) { return winner.pinned; },
        [](const Winner& winner) -> View::Row {
            return {objective_of(winner), server_text(winner),
                    day_text(winner.provenance.created_at)};
        });
}

View merges_view(const ReportData& data) {
    View view{"What merges changed, and what became of the winners that came",
              {number_column("merge"), text_column("file"), day_column("when"), text_column("code"),
               number_column("measurements"), number_column("winners"),
               number_column("at new sizes"), number_column("serve before others"),
               number_column("behind others"), number_column("without code or unsure")}};
    view.add(data.merges, kMostRows, [&](const Merge& merge) -> View::Row {
        const auto count = [&](const char* outcome) {
            const auto found = data.merged.find(merge.number);
            if (found == data.merged.end() || !found->second.contains(outcome)) {
                return std::int64_t{0};
            }
            return found->second.at(outcome);
        };
        return {count_cell(merge.number),       merge.source,
                day_text(merge.merged_at),      merge.code_trusted ? "trusted" : "not taken",
                count_cell(merge.measurements), count_cell(merge.winners),
                count_cell(count("new")),       count_cell(count("before")),
                count_cell(count("behind")),    count_cell(count("no code") + count("unsure"))};
    });
    return view;
}

}  // namespace

std::string provenance_section(const ReportData& data, Allowance& room) {
    std::string html = html_table(places_view(data), room, kFilterHint);
    html += html_table(templates_view(data), room, kFilterHint);
    html += html_table(pinned_view(data), room, kFilterHint);
    html += folded("Provisional winners", html_table(provisional_view(data), room, kFilterHint));
    html += html_table(doubts_view(data.doubts, kMostRows), room, kFilterHint);
    html += html_table(merges_view(data), room, "jitune db show has the reason of each");
    return html.empty() ? paragraph("No winner is stored.") : html;
}

}  // namespace jitune::internal
