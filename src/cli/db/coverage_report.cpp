// SPDX-License-Identifier: Apache-2.0
// jitune db coverage
#include "cli/db/coverage_report.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "cli/db/record_json.hpp"
#include "cli/db/winner_filter.hpp"
#include "support/hash.hpp"
#include "support/utf8.hpp"
#include "template/problem.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::vector<SizeBox>& boxes, const std::vector<std::string>& names) {
    Lines lines;
    for (const SizeBox& box : boxes) {
        lines.push_back(coverage_text({&box, 1}, names));
    }
    return lines;
}

Lines unsure_lines(const Coverage& coverage) {
    Lines lines;
    for (const Winner* const winner : coverage.unsure) {
        for (const std::string& sizes :
             lines_of(boxes_of(*winner).value_or(std::vector<SizeBox>{}), coverage.size_names)) {
            lines.push_back(fmt::format("{}: {}", sizes,
                                        winner->range.held_out == 0
                                            ? "not tested at held-out sizes"
                                            : bound_sentence(winner->range)));
        }
    }
    return lines;
}

std::string bound_line(const Coverage& coverage) {
    const auto without =
        std::count_if(coverage.winners.begin(), coverage.winners.end(),
                      [](const Winner* one) { return one->range.loss_bound <= 0; });
    const Winner* const worst = coverage.worst();
    const std::string bound = worst == nullptr ? "" : bound_text(worst->range);
    if (without == 0) {
        return bound;
    }
    return fmt::format("{}{}not known of {} of {} winners", bound, bound.empty() ? "" : "; ",
                       without, coverage.winners.size());
}

/// The title with its lines. Empty if there is no line.
std::string titled(std::string_view title, const Lines& lines) {
    constexpr std::size_t kMost = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(lines.size(), kMost); ++i) {
        text +=
            fmt::format("{:<15} {}\n", i == 0 ? title : "", one_line(lines[i], kShownCharacters));
    }
    return lines.size() <= kMost
               ? text
               : text + fmt::format("{:<15} … and {} more\n", "", lines.size() - kMost);
}

Json boxes_json(const std::vector<SizeBox>& boxes, const std::vector<std::string>& names) {
    return json_list(boxes, [&](const SizeBox& box) {
        Json sizes = Json::object();
        for (std::size_t i = 0; i < box.from.size(); ++i) {
            sizes[names[i]] = Json::array({box.from[i], box.to[i]});
        }
        return sizes;
    });
}

/// null if it is not known.
Json bound_json(const Winner* winner) {
    const bool known = winner != nullptr && winner->range.loss_bound > 0 &&
                       winner->range.loss_bound < kMostLossBound;
    return known ? Json(winner->range.loss_bound) : Json();
}

}  // namespace

std::string coverage_report(const Coverage& coverage, std::size_t binaries) {
    const RecordKey& key = coverage.key;
    std::string text =
        titled("kernel", {key.kernel}) + titled("types", {readable_types(key.types)}) +
        titled("alignment", {count_text(key.alignment, "byte")}) +
        titled("device class", {key.device_class}) + titled("template", {key.template_hash}) +
        titled("served", lines_of(coverage.served, coverage.size_names));
    if (!coverage.served.empty()) {
        text += titled("share", {served_percent(coverage.share) +
                                 " of the octaves between the smallest and the largest size"}) +
                titled("holes", lines_of(coverage.holes, coverage.size_names)) +
                titled("configurations", {fmt::format("{}, in {} binar{}", coverage.configurations,
                                                      binaries, binaries == 1 ? "y" : "ies")}) +
                titled("worst bound", {bound_line(coverage)});
    }
    return text + titled("unsure", unsure_lines(coverage));
}

Json coverage_report_json(const Coverage& coverage, std::size_t binaries) {
    const auto unsure_json = [&](const Winner* winner) -> Json {
        return {{"sizes", boxes_json(boxes_of(*winner).value_or(std::vector<SizeBox>{}),
                                     coverage.size_names)},
                {"configuration", winner->configuration},
                {"by_default", winner->range.by_default},
                {"loss_bound", bound_json(winner)},
                {"held_out", winner->range.held_out}};
    };
    const Winner* const worst = coverage.worst();
    return {{"key", to_json(coverage.key, "bucket")},
            {"served", boxes_json(coverage.served, coverage.size_names)},
            {"share", coverage.share},
            {"holes", boxes_json(coverage.holes, coverage.size_names)},
            {"configurations", coverage.configurations},
            {"binaries", binaries},
            {"loss_bound", bound_json(worst)},
            {"held_out", worst == nullptr ? 0 : worst->range.held_out},
            {"unsure", json_list(coverage.unsure, unsure_json)}};
}

namespace db_coverage_command {

namespace {

std::size_t binaries_of(TuningStore& store, const Coverage& coverage) {
    std::set<Digest> binaries;
    for (const Winner* const row : coverage.winners) {
        if (const auto winner = store.with_image(*row)) {
            binaries.insert(
                Hasher("binary").text(winner->image_format).text(winner->image).digest());
        }
    }
    return binaries.size();
}

int run(const FilterArguments& arguments) {
    const Options options = arguments.options();
    const auto store = open_database(options);
    const std::vector<Winner> winners =
        arguments.filter.of(store->winners(), Log(options.log_level, options.log_sink));
    Json keys = Json::array();
    std::string text;
    for (const Coverage& coverage : coverage_of(winners)) {
        const std::size_t binaries = binaries_of(*store, coverage);
        keys.push_back(coverage_report_json(coverage, binaries));
        text += (text.empty() ? "" : "\n") + coverage_report(coverage, binaries);
    }
    print_either(arguments.json, {{"path", options.database.string()}, {"keys", keys}}, text);
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    return invocation_of<FilterArguments>(run);
}

}  // namespace db_coverage_command

}  // namespace jitune::internal
