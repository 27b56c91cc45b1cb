// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "report/escape.hpp"
#include "report/html_table.hpp"
#include "report/labels.hpp"
#include "report/section.hpp"
#include "report/template_state.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/pin.hpp"
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

HtmlCell count_cell(std::int64_t count) {
    return HtmlCell::of(fmt::format("{}", count), static_cast<double>(count));
}

std::string places_table(const ReportData& data, Allowance& room) {
    std::map<std::tuple<std::string, std::string, std::string, std::string>, Crowd> places;
    for (const Winner& winner : data.winners) {
        const Provenance& from = winner.provenance;
        places[{from.device_name, winner.key.device_class, from.driver, from.compiler}].add(winner);
    }
    HtmlTable table("Where the winners were tuned", {{"device"},
                                                     {"driver"},
                                                     {"compiler"},
                                                     {"winners", ColumnKind::number},
                                                     {"provisional", ColumnKind::number},
                                                     {"oldest"},
                                                     {"newest"},
                                                     {"device class"}});
    for (const auto& [place, crowd] : places) {
        const auto& [device, device_class, driver, compiler] = place;
        table.add({HtmlCell::of(device), HtmlCell::of(driver), HtmlCell::of(compiler),
                   count_cell(crowd.winners), count_cell(crowd.provisional),
                   HtmlCell::day(crowd.oldest), HtmlCell::day(crowd.newest),
                   HtmlCell::configuration(device_class)});
    }
    return table.html(room, kMostRows, 0, kFilterHint);
}

std::string templates_table(const ReportData& data, Allowance& room) {
    std::map<std::pair<std::string, std::string>, std::pair<TemplateState, Crowd>> templates;
    for (const Winner& winner : data.winners) {
        const RecordKey& key = winner.key;
        auto& [state, crowd] = templates[{key.kernel, key.template_hash}];
        state = template_state(key);
        crowd.add(winner);
    }
    HtmlTable table(
        "Kernel templates, by the hash that is part of each key",
        {{"kernel"}, {"template"}, {"this build"}, {"winners", ColumnKind::number}, {"newest"}});
    for (const auto& [name, entry] : templates) {
        const auto& [state, crowd] = entry;
        table.add({HtmlCell::of(name.first), HtmlCell::code(name.second),
                   HtmlCell::of(to_string(state)), count_cell(crowd.winners),
                   HtmlCell::day(crowd.newest)});
    }
    return table.html(room, kMostRows, 0, kFilterHint);
}

/// The columns that tell winners apart, with `others` behind them.
std::vector<HtmlColumn> winner_columns(std::vector<HtmlColumn> others) {
    const std::vector<HtmlColumn> first{
        {"kernel"}, {"serves"}, {"device"}, {"speed-up", ColumnKind::number}};
    others.insert(others.begin(), first.begin(), first.end());
    return others;
}

/// The cells of a winner in a table of winner_columns().
std::vector<HtmlCell> winner_cells(const Winner& winner, std::vector<HtmlCell> others) {
    const std::vector<HtmlCell> first{
        HtmlCell::of(kernel_text(winner.key)), HtmlCell::of(short_served_text(winner)),
        HtmlCell::of(winner.provenance.device_name),
        HtmlCell::of(speed_up_text(winner), winner.default_median_ns / winner.median_ns)};
    others.insert(others.begin(), first.begin(), first.end());
    return others;
}

std::string provisional_table(const ReportData& data, Allowance& room) {
    HtmlTable table("Provisional winners: how fast they are is not known well enough",
                    winner_columns({{"tries", ColumnKind::number}, {"what happens"}, {"made"}}));
    std::size_t count = 0;
    for (const Winner& winner : data.winners) {
        if (!is_provisional(winner.certainty) || count++ >= kMostRows) {
            continue;
        }
        const auto tries = static_cast<std::int64_t>(tries_of(winner.certainty));
        const std::string next = winner.pinned ? "pinned: no tuning replaces it"
                                 : trust_of(winner) == Trust::provisional
                                     ? "the next sweep tunes it again"
                                     : "kept: the machine was never quiet";
        table.add(winner_cells(
            winner, {count_cell(tries),
                     HtmlCell::of(next + (may_be_slower(winner) ? "; the default serves" : "")),
                     HtmlCell::day(winner.provenance.created_at)}));
    }
    return folded("Provisional winners",
                  table.html(room, kMostRows, count - std::min(count, kMostRows), kFilterHint));
}

std::string pinned_table(const ReportData& data, Allowance& room) {
    HtmlTable table("Pinned winners: they serve, and no tuning replaces them",
                    winner_columns({{"chosen by"}, {"configuration"}, {"made"}}));
    std::size_t count = 0;
    for (const Winner& winner : data.winners) {
        if (!winner.pinned || count++ >= kMostRows) {
            continue;
        }
        table.add(winner_cells(winner, {HtmlCell::of(objective_of(winner)),
                                        HtmlCell::configuration(winner.configuration),
                                        HtmlCell::day(winner.provenance.created_at)}));
    }
    return table.html(room, kMostRows, count - std::min(count, kMostRows), kFilterHint);
}

std::string doubts_table(const ReportData& data, Allowance& room) {
    HtmlTable table(
        "Winners in doubt, which are raced again before anything is tuned",
        {{"kernel"}, {"tuned at"}, {"device"}, {"why"}, {"reports", ColumnKind::number}, {"last"}});
    for (std::size_t i = 0; i < std::min(data.doubts.size(), kMostRows); ++i) {
        const Doubt& doubt = data.doubts[i];
        table.add({HtmlCell::of(kernel_text(doubt.key)), HtmlCell::of(doubt.sizes),
                   HtmlCell::of(doubt.device_name), HtmlCell::of(doubt_sentence(doubt)),
                   count_cell(doubt.reports), HtmlCell::day(doubt.last_at)});
    }
    return table.html(room, kMostRows, data.doubts.size() - std::min(data.doubts.size(), kMostRows),
                      kFilterHint);
}

std::string merges_table(const ReportData& data, Allowance& room) {
    HtmlTable table("What merges changed, and what became of the winners that came",
                    {{"merge", ColumnKind::number},
                     {"file"},
                     {"when"},
                     {"code"},
                     {"measurements", ColumnKind::number},
                     {"winners", ColumnKind::number},
                     {"at new sizes", ColumnKind::number},
                     {"serve before others", ColumnKind::number},
                     {"behind others", ColumnKind::number},
                     {"without code or unsure", ColumnKind::number}});
    for (std::size_t i = 0; i < std::min(data.merges.size(), kMostRows); ++i) {
        const Merge& merge = data.merges[i];
        const auto count = [&](const char* outcome) {
            const auto found = data.merged.find(merge.number);
            if (found == data.merged.end() || !found->second.contains(outcome)) {
                return std::int64_t{0};
            }
            return found->second.at(outcome);
        };
        table.add({count_cell(merge.number), HtmlCell::of(merge.source),
                   HtmlCell::day(merge.merged_at),
                   HtmlCell::of(merge.code_trusted ? "trusted" : "not taken"),
                   count_cell(merge.measurements), count_cell(merge.winners),
                   count_cell(count("new")), count_cell(count("before")),
                   count_cell(count("behind")), count_cell(count("no code") + count("unsure"))});
    }
    return table.html(room, kMostRows, data.merges.size() - std::min(data.merges.size(), kMostRows),
                      "jitune db show has the reason of each");
}

/// The tables of the section, in their order. Each is empty where it has no row.
constexpr std::array kTables{places_table,      templates_table, pinned_table,
                             provisional_table, doubts_table,    merges_table};

}  // namespace

std::string provenance_section(const ReportData& data, Allowance& room) {
    std::string html;
    for (const auto& table : kTables) {
        html += table(data, room);
    }
    return html.empty() ? paragraph("No winner is stored.") : html;
}

}  // namespace jitune::internal
