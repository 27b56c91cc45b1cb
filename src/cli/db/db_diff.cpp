// SPDX-License-Identifier: Apache-2.0
// jitune db diff
#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "cli/app/common_options.hpp"
#include "cli/db/bundle.hpp"
#include "cli/db/record_json.hpp"
#include "cli/db/winner_filter.hpp"
#include "cli/formats/table.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal::db_diff_command {

namespace {

struct Arguments : FilterArguments {
    std::string first;
    std::string second;
};

/// A winner that only one of the two databases has, or that serves other sizes there, or has no
/// code.
struct Difference {
    std::string where;   ///< "first", "second" or "both"
    Winner winner;       ///< of the second for "both"
    std::string before;  ///< of "both": what it serves in the first
};

struct Comparison {
    std::vector<Difference> winners;
    std::int64_t same_winners = 0;
    std::int64_t only_first = 0;  ///< measurements
    std::int64_t only_second = 0;
    std::int64_t same_measurements = 0;
};

/// The winners by their ids. If a winner is there with and without code, the row with code.
std::map<std::string, Winner> by_id(const std::vector<Winner>& winners) {
    std::map<std::string, Winner> map;
    for (const Winner& winner : winners) {
        const auto [known, is_new] = map.emplace(winner_id(winner), winner);
        if (!is_new && serves_before(winner, known->second)) {
            known->second = winner;
        }
    }
    return map;
}

std::string serves_words(const Winner& winner) {
    return short_served_text(winner) + (winner.image_format == kNoCode ? " (no code)" : "");
}

void compare_winners(const std::map<std::string, Winner>& first,
                     const std::map<std::string, Winner>& second, Comparison& comparison) {
    for (const auto& [id, winner] : first) {
        if (!second.contains(id)) {
            comparison.winners.push_back({"first", winner, ""});
        }
    }
    for (const auto& [id, winner] : second) {
        const auto known = first.find(id);
        if (known == first.end()) {
            comparison.winners.push_back({"second", winner, ""});
        } else if (serves_words(known->second) != serves_words(winner)) {
            comparison.winners.push_back({"both", winner, serves_words(known->second)});
        } else {
            ++comparison.same_winners;
        }
    }
    std::sort(comparison.winners.begin(), comparison.winners.end(),
              [](const Difference& left, const Difference& right) {
                  const auto place = [](const Winner& one) {
                      return std::tie(one.key.kernel, one.key.types, one.key.device_class,
                                      one.key.bucket, one.sizes, one.configuration);
                  };
                  return place(left.winner) < place(right.winner);
              });
}

Comparison compare(TuningStore& first, TuningStore& second, const WinnerFilter& filter,
                   const Log& log) {
    Comparison comparison;
    compare_winners(by_id(filter.of(first.winners(), log)), by_id(filter.of(second.winners(), log)),
                    comparison);
    const std::vector<std::string> one = first.measurements().digests();
    const std::vector<std::string> two = second.measurements().digests();
    std::vector<std::string> both;
    std::set_intersection(one.begin(), one.end(), two.begin(), two.end(), std::back_inserter(both));
    comparison.same_measurements = std::ssize(both);
    comparison.only_first = std::ssize(one) - std::ssize(both);
    comparison.only_second = std::ssize(two) - std::ssize(both);
    return comparison;
}

View differences_view(const std::vector<Difference>& differences) {
    View view{"Winners that differ",
              {text_column(""), text_column("id"), text_column("kernel"), text_column("types"),
               text_column("serves"), detail("device"), number_column("time"),
               text_column("configuration")}};
    view.add(differences, kAllRows, [](const Difference& difference) -> View::Row {
        const auto& [where, winner, before] = difference;
        return {where == "first"    ? "<"
                : where == "second" ? ">"
                                    : "~",
                short_id(winner),
                winner.key.kernel,
                short_types(winner.key.types),
                before.empty() ? serves_words(winner) : before + " -> " + serves_words(winner),
                winner.provenance.device_name,
                time_cell(winner.median_ns),
                server_text(winner)};
    });
    return view;
}

std::string comparison_text(const Comparison& comparison, const Arguments& arguments) {
    std::string text = Table::text(differences_view(comparison.winners), arguments.table_width());
    text += fmt::format("winners: {} differ, {} are the same\n", comparison.winners.size(),
                        comparison.same_winners);
    text += fmt::format("measurements: {} in {} alone, {} in {} alone, {} in both\n",
                        comparison.only_first, arguments.first, comparison.only_second,
                        arguments.second, comparison.same_measurements);
    return text;
}

Json difference_json(const Difference& difference) {
    Json row{{"in", difference.where}};
    row.update(winner_json(difference.winner));
    if (!difference.before.empty()) {
        row["serves_in_first"] = difference.before;
    }
    return row;
}

Json comparison_json(const Comparison& comparison) {
    return {{"winners", json_list(comparison.winners, difference_json)},
            {"same_winners", comparison.same_winners},
            {"measurements",
             {{"first", comparison.only_first},
              {"second", comparison.only_second},
              {"both", comparison.same_measurements}}}};
}

int run(const Arguments& arguments) {
    const Log log(arguments.options().log_level, arguments.options().log_sink);
    OtherDatabase first(arguments.first, log);
    OtherDatabase second(arguments.second, log);
    const Comparison comparison = compare(first.store(), second.store(), arguments.filter, log);
    print_either(arguments.json, comparison_json(comparison),
                 comparison_text(comparison, arguments));
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options{
        {"FIRST", &arguments->first, "A database, or a bundle of db export", {.required = true}},
        {"SECOND", &arguments->second, "Another one", {.required = true}}};
    for (Option& option : arguments->filter.options()) {
        if (option.name != "ID") {
            options.push_back(std::move(option));
        }
    }
    append(options,
           {arguments->log_option(), arguments->verbose_option(), arguments->json_option()});
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_diff_command
