// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/db/doubt_text.hpp"
#include "cli/db/record_json.hpp"
#include "cli/db/winner_filter.hpp"
#include "cli/formats/table.hpp"
#include "jitune/error.hpp"
#include "measure/conditions.hpp"
#include "measure/statistics.hpp"
#include "template/problem.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/pin.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"
#include "tuning/finals/finalist.hpp"

namespace jitune::internal::db_show_command {

namespace {

struct Arguments : CommonArguments {
    WinnerFilter filter;
};

std::string time_line(const Winner& winner) {
    std::string line =
        fmt::format("{}, noise {:.2f} %", time_text(winner.median_ns), winner.noise * 100);
    if (winner.certainty.uncertainty > 0) {
        line += fmt::format(", median within {:.2f} %", winner.certainty.uncertainty * 100);
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
    return fmt::format("{}; {}{}", why,
                       winner.pinned ? "no tuning replaces it while it is pinned"
                       : trust_of(winner) == Trust::provisional
                           ? "the next sweep on a quiet machine tunes it again"
                           : "kept, since the machine was never quiet",
                       may_be_slower(winner) ? "; the default serves, which may be faster" : "");
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

std::string winner_text(const Winner& winner, const Doubt* doubt, const std::string& merged) {
    const RecordKey& key = winner.key;
    const Provenance& provenance = winner.provenance;
    const std::vector<std::pair<const char*, std::string>> lines{
        {"id", winner_id(winner)},
        {"kernel", key.kernel},
        {"types", readable_types(key.types)},
        {"tuned at", winner.sizes},
        {"serves", short_served_text(winner)},
        {"bound", bound_text(winner.range)},
        {"alignment", fmt::format("{} bytes", key.alignment)},
        {"device class", key.device_class},
        {"template", key.template_hash},
        {"configuration", winner.configuration},
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
    std::string text;
    for (const auto& [name, value] : lines) {
        if (!value.empty()) {
            text += fmt::format("{:<15} {}\n", name, one_line(value));
        }
    }
    return text;
}

/// "compared" of a comparison between sizes, "interleaved" of finals, nothing of a search; with
/// "cpu=contended" where other processes have disturbed it.
std::string condition_words(const Measurement& measurement) {
    Conditions conditions;
    conditions.phase = phase_of(measurement);
    conditions.contended = Conditions::parse(measurement.conditions).contended;
    return conditions.text();
}

std::string measurements_text(const std::vector<Measurement>& measurements, std::size_t width) {
    struct Row {
        std::optional<Summary> summary;
        const Measurement* measurement;
    };
    std::vector<Row> order;
    for (const Measurement& measurement : measurements) {
        const bool timed = measurement.verdict == Verdict::timed;
        order.push_back({timed ? std::optional(summarize(measurement.samples_ns)) : std::nullopt,
                         &measurement});
    }
    std::stable_sort(order.begin(), order.end(), [](const Row& left, const Row& right) {
        return left.summary &&
               (!right.summary || left.summary->median_ns < right.summary->median_ns);
    });
    std::vector<Table::Cells> rows;
    for (const auto& [summary, measurement] : order) {
        rows.push_back(
            {to_string(measurement->verdict), summary ? time_text(summary->median_ns) : "",
             summary ? fmt::format("{:.2f} %", summary->noise * 100) : "",
             fmt::format("{}", measurement->samples_ns.size()), condition_words(*measurement),
             measurement->sizes, measurement->configuration, measurement->reproducibility,
             one_line(measurement->reason).substr(0, 60),
             one_line(figures_text(measurement->figures))});
    }
    return Table::text({{"verdict"},
                        {"time", Align::right},
                        {"noise", Align::right},
                        detail("samples", Align::right),
                        detail("conditions"),
                        {"sizes"},
                        {"configuration"},
                        detail("reproducibility"),
                        {"reason"},
                        detail("figures")},
                       rows, width);
}

int run(const Arguments& arguments) {
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
        print(winner_text(*winner, doubt_about(doubts, *winner), merge_line(*store, *winner)) +
              fmt::format("\n{}\n", count_text(std::ssize(measurements), "measurement")) +
              measurements_text(measurements, arguments.table_width()));
        return kExitOk;
    }
    Json document = winner_json(*winner);
    document["merged"] = merge_line(*store, *winner);
    document["image_bytes"] = winner->image.size();
    document["doubt"] = doubt_json(doubts, *winner);
    document["measurements"] = Json::array();
    for (const Measurement& measurement : measurements) {
        Json shown = measurement_json(measurement);
        shown["figures"] = figures_json(measurement.figures);
        document["measurements"].push_back(shown);
    }
    print_json(document);
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    std::vector<Option> options = arguments->filter.options();
    append(options, {arguments->database_option(), arguments->log_option(),
                     arguments->verbose_option(), arguments->json_option()});
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::db_show_command
