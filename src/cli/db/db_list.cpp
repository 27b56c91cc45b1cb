// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "cli/app/common_options.hpp"
#include "cli/db/record_json.hpp"
#include "cli/db/winner_filter.hpp"
#include "cli/formats/table.hpp"
#include "sizes/box_sets.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/coverage.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal::db_list_command {

namespace {

Json list_json(const std::string& path, const std::vector<Winner>& winners,
               const std::vector<Doubt>& doubts) {
    const auto row_json = [&](const Winner& winner) {
        Json row = winner_json(winner);
        row["doubt"] = doubt_json(doubts, winner);
        return row;
    };
    return {{"path", path}, {"winners", json_list(winners, row_json)}};
}

/// Winners that differ in sizes and configuration alone.
using Group = std::vector<const Winner*>;

std::vector<Group> groups_of(const std::vector<Winner>& winners, bool each) {
    std::vector<Group> groups;
    std::map<SizedKernel, std::size_t> places;
    for (const Winner& winner : winners) {
        const auto [place, is_new] = places.emplace(sized_kernel(winner), groups.size());
        if (is_new || each) {
            groups.emplace_back();
        }
        (each ? groups.back() : groups[place->second]).push_back(&winner);
    }
    return groups;
}

template <class Has>
bool any_of(const Group& group, const Has& has) {
    return std::any_of(group.begin(), group.end(), [&](const Winner* one) { return has(*one); });
}

bool has_no_code(const Winner& winner) {
    return winner.image_format == kNoCode;
}

bool is_pinned(const Winner& winner) {
    return winner.pinned;
}

/// The sizes from the smallest to the largest that a group serves, which may have holes between
/// them.
std::string reach_text(const Group& group) {
    if (group.size() == 1) {
        return short_served_text(*group.front());
    }
    std::vector<SizeBox> boxes;
    for (const Winner* const winner : group) {
        const auto its = boxes_of(*winner).value_or(std::vector<SizeBox>{});
        boxes.insert(boxes.end(), its.begin(), its.end());
    }
    return boxes.empty()
               ? ""
               : coverage_text(std::array{box_around(boxes)}, size_names(group.front()->sizes));
}

/// "7 configurations" of several.
std::string configurations_text(const Group& group) {
    std::set<std::string> names;
    for (const Winner* const winner : group) {
        names.insert(server_text(*winner));
    }
    return names.size() == 1 ? *names.begin()
                             : count_text(static_cast<std::int64_t>(names.size()), "configuration");
}

View::Row row_of(const Group& group, const std::vector<Doubt>& doubts) {
    const Winner& first = *group.front();
    const bool one = group.size() == 1;
    const bool in_doubt =
        any_of(group, [&](const Winner& winner) { return doubt_about(doubts, winner) != nullptr; });
    return {(one ? short_id(first) : count_text(std::ssize(group), "winner")) +
                (any_of(group, is_pinned) ? "*" : "") + (in_doubt ? "!" : ""),
            first.key.kernel,
            short_types(first.key.types),
            reach_text(group),
            one && has_no_code(first) ? "no code"
            : one                     ? speed_up_cell(first)
                                      : speed_ups_cell(group),
            first.provenance.device_name,
            one ? time_cell(first.median_ns) : "",
            one ? bound_text(first.range) : "",
            configurations_text(group)};
}

/// What the marks in the rows mean.
std::string legend_of(const std::vector<View::Row>& rows) {
    struct Mark {
        std::size_t column;
        std::string_view mark;
        std::string_view meaning;
    };
    constexpr std::array kMarks{
        Mark{4, "?", kDisturbedLegend},
        Mark{0, "!",
             "! in doubt: calls take longer, or the driver has changed; jitune db show says "
             "which\n"},
        Mark{4, "no code",
             "no code: serves nothing until a call that may tune, or a sweep, has compiled and "
             "checked the configuration\n"},
        Mark{0, "*", "* is pinned: it serves, and is not replaced\n"}};
    std::string legend;
    for (const auto& [column, mark, meaning] : kMarks) {
        const bool is_used =
            std::any_of(rows.begin(), rows.end(), [&, at = column, text = mark](const auto& row) {
                return row[at].text.find(text) != std::string::npos;
            });
        legend += is_used ? meaning : "";
    }
    return legend;
}

View groups_view(const std::vector<Group>& groups, const std::vector<Doubt>& doubts) {
    View view{
        "Winners",
        {text_column("id"), text_column("kernel"), text_column("types"), text_column("serves"),
         number_column("speed-up"), detail("device"), detail(number_column("time")),
         detail(number_column("bound")), detail("configuration")}};
    view.add(groups, kAllRows, [&](const Group& group) { return row_of(group, doubts); });
    view.note = legend_of(view.rows);
    return view;
}

/// What all of the winners have gained, and how much they serve.
std::string end_text(const std::vector<Winner>& winners) {
    const std::vector<Coverage> coverages = coverage_of(winners);
    double share = 0;
    for (const Coverage& coverage : coverages) {
        share += coverage.share / static_cast<double>(coverages.size());
    }
    const std::string gain = gain_text(speed_ups_of(winners));
    return fmt::format(
        "{}, {}{}\n{} of the octaves between their sizes served for sure\n",
        count_text(std::ssize(coverages), "problem"), count_text(std::ssize(winners), "winner"),
        gain.empty() ? "" : ": " + gain + " over the defaults", served_percent(share));
}

struct Arguments : FilterArguments {
    std::optional<std::int64_t> skip;
    std::optional<std::int64_t> limit;
};

std::int64_t checked(const char* option, std::optional<std::int64_t> number, std::int64_t usual) {
    if (number && *number < 0) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} {}: give a number of rows, 0 or more", option, *number));
    }
    return number.value_or(usual);
}

/// The winners that match, a page of them if one is asked for.
std::vector<Winner> chosen(const Arguments& arguments, TuningStore& store, const Log& log) {
    const std::int64_t skip = checked("--skip", arguments.skip, 0);
    const std::int64_t limit =
        checked("--limit", arguments.limit, std::numeric_limits<std::int64_t>::max());
    arguments.filter.check();
    if (limit == 0) {
        return {};
    }
    std::vector<Winner> page = store.winners(
        [&](const Winner& winner) { return arguments.filter.matches(winner); }, skip, limit);
    // Only all rows can tell whether a name is unknown or nothing matches.
    return page.empty() && skip == 0 ? arguments.filter.of(store.winners(), log) : page;
}

int run(const Arguments& arguments) {
    const Options options = arguments.options();
    const auto store = open_database(options);
    const auto winners = chosen(arguments, *store, Log(options.log_level, options.log_sink));
    const auto doubts = store->calls().doubts();
    if (arguments.json) {
        print_json(list_json(options.database.string(), winners, doubts));
    } else {
        const std::size_t width = arguments.table_width();
        print(Table::text(groups_view(groups_of(winners, width == kWhole), doubts), width) +
              (winners.empty() ? "" : end_text(winners)));
    }
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    return invocation_of<Arguments>(run, [](Arguments& given) {
        return given.usual_options({{"--limit", &given.limit, "The most rows to list [all]"},
                                    {"--skip", &given.skip, "Leave out so many rows first [0]"},
                                    given.verbose_option()});
    });
}

}  // namespace jitune::internal::db_list_command
