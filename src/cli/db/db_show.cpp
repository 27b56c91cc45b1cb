// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>

#include "cli/app/common_options.hpp"
#include "cli/db/record_json.hpp"
#include "cli/db/winner_filter.hpp"
#include "cli/formats/table.hpp"
#include "measure/conditions.hpp"
#include "measure/statistics.hpp"
#include "template/problem.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"
#include "tuning/finals/finalist.hpp"

namespace jitune::internal::db_show_command {

namespace {

std::string time_line(const Winner& winner) {
    std::string line =
        fmt::format("{}, noise {}", time_text(winner.median_ns), noise_text(winner.noise));
    if (winner.certainty.uncertainty > 0) {
        line += fmt::format(", median within {}", noise_text(winner.certainty.uncertainty));
    }
    return line;
}

std::string speed_up_line(const Winner& winner) {
    const std::string interval = speed_up_interval_text(winner.certainty);
    return speed_up_text(winner) + (interval.empty() ? "" : fmt::format(" ({})", interval));
}

/// Empty for a winner that is not.
std::string provisional_line(const Winner& winner) {
    const std::string_view why = why_provisional(winner.certainty);
    if (why.empty()) {
        return "";
    }
    return fmt::format("{}; {}", why, provisional_text(winner));
}

std::string pinned_line(const Winner& winner) {
    return winner.pinned ? "yes" + chosen_by_text(winner) : "";
}

/// For a winner that a merge has brought: "by merge 3, of other.db, 2026-11-20T16:00:00Z; behind
/// another: …". Empty for another winner.
std::string merge_line(TuningStore& store, const Winner& winner) {
    const std::string content = winner_content(winner);
    for (const MergedWinner& merged : store.merges().winners()) {
        if (merged.content != content) {
            continue;
        }
        for (const Merge& merge : store.merges().all()) {
            if (merge.number == merged.merge) {
                return fmt::format("by merge {} of {}, {}; {}{}{}", merge.number, merge.source,
                                   merge.merged_at, merged.outcome,
                                   merged.reason.empty() ? "" : ": ", merged.reason);
            }
        }
    }
    return "";
}

using Facts = std::vector<std::pair<const char*, std::string>>;

Facts facts_of(const Winner& winner, const Doubt* doubt, const std::string& merged) {
    const RecordKey& key = winner.key;
    const Provenance& provenance = winner.provenance;
    return {
        {"id", winner_id(winner)},
        {"kernel", key.kernel},
        {"types", readable_types(key.types)},
        {"tuned at", winner.sizes},
        {"serves", short_served_text(winner)},
        {"bound", bound_text(winner.range)},
        {"alignment", count_text(key.alignment, "byte")},
        {"device class", key.device_class},
        {"template", key.template_hash},
        {"configuration",
         winner.range.by_default
             ? fmt::format("the default for each call's sizes, here {}", winner.configuration)
             : winner.configuration},
        {"reproducibility", winner.reproducibility},
        {"time", time_line(winner)},
        {"default",
         winner.default_median_ns > 0 ? time_text(winner.default_median_ns) : "not timed"},
        {"speed-up", speed_up_line(winner)},
        {"provisional", provisional_line(winner)},
        {"conditions", winner.certainty.conditions},
        {"in doubt", doubt == nullptr ? "" : doubt_sentence(*doubt)},
        {"search", winner.complete ? "complete" : "ended by its budget"},
        {"binary", winner.image.empty() ? "none: the next call that may tune, or a sweep, compiles "
                                          "and checks the configuration"
                                        : fmt::format("{}, {}", winner.image_format,
                                                      bytes_text(std::ssize(winner.image)))},
        {"entry points", fmt::format("{}", fmt::join(winner.symbols, " "))},
        {"device", provenance.device_name},
        {"uuid", provenance.device_uuid},
        {"driver", provenance.driver},
        {"compiler", provenance.compiler},
        {"made", provenance.created_at},
        {"merged", merged},
        {"pinned", pinned_line(winner)},
    };
}

/// A line for each fact that has a value.
std::string facts_text(const Facts& facts) {
    std::string text;
    for (const auto& [name, value] : facts) {
        if (!value.empty()) {
            text += fmt::format("{:<15} {}\n", name, one_line(value));
        }
    }
    return text;
}

/// "compared" of a comparison between sizes, "interleaved" of finals, nothing of a search; with
/// "cpu=contended" if other processes have disturbed it.
std::string condition_words(const Measurement& measurement) {
    Conditions conditions;
    conditions.phase = phase_of(measurement);
    conditions.contended = Conditions::parse(measurement.conditions).contended;
    return conditions.text();
}

/// The fastest first, then those without a time.
View measurements_view(const std::vector<Measurement>& measurements) {
    std::vector<std::pair<Summary, const Measurement*>> order;
    for (const Measurement& one : measurements) {
        const bool is_timed = one.verdict == Verdict::timed;
        order.emplace_back(is_timed ? summarize(one.samples_ns) : Summary{.median_ns = INFINITY},
                           &one);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto& left, const auto& right) {
        return left.first.median_ns < right.first.median_ns;
    });
    View view{"Measurements of the winner's key",
              {text_column("verdict"), number_column("time"), number_column("noise"),
               detail(number_column("samples")), detail("conditions"), text_column("sizes"),
               text_column("configuration"), detail("reproducibility"), text_column("reason"),
               detail("figures")}};
    view.add(order, kAllRows, [](const auto& row) -> View::Row {
        const auto& [summary, measurement] = row;
        const bool is_timed = measurement->verdict == Verdict::timed;
        return {to_string(measurement->verdict),
                is_timed ? time_cell(summary.median_ns) : "",
                is_timed ? noise_text(summary.noise) : "",
                count_cell(measurement->samples_ns.size()),
                condition_words(*measurement),
                measurement->sizes,
                measurement->configuration,
                measurement->reproducibility,
                one_line(measurement->reason).substr(0, 60),
                one_line(figures_text(measurement->figures))};
    });
    return view;
}

int run(const FilterArguments& arguments) {
    const auto store = open_database(arguments.options());
    const auto winners = store->winners();
    const auto winner = store->with_image(arguments.filter.only_one(winners));
    if (!winner) {
        throw Error(ErrorKind::store,
                    "cannot show the winner: its row is damaged or was replaced a moment ago; try "
                    "again, then run jitune db verify");
    }
    const auto measurements = store->measurements().of(winner->key);
    const auto doubts = store->calls().doubts();
    if (!arguments.json) {
        print(facts_text(
                  facts_of(*winner, doubt_about(doubts, *winner), merge_line(*store, *winner))) +
              fmt::format("\n{}\n", count_text(std::ssize(measurements), "measurement")) +
              Table::text(measurements_view(measurements), arguments.table_width()));
        return kExitOk;
    }
    Json document = winner_json(*winner);
    document["merged"] = merge_line(*store, *winner);
    document["image_bytes"] = winner->image.size();
    document["doubt"] = doubt_json(doubts, *winner);
    document["measurements"] = json_list(measurements, [](const Measurement& measurement) {
        Json shown = measurement_json(measurement);
        shown["figures"] = figures_json(measurement.figures);
        return shown;
    });
    print_json(document);
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    return invocation_of<FilterArguments>(
        run, [](FilterArguments& given) { return given.usual_options({given.verbose_option()}); });
}

}  // namespace jitune::internal::db_show_command
