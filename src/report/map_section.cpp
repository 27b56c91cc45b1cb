// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "report/html.hpp"
#include "report/map_picture.hpp"
#include "report/picture.hpp"
#include "report/section.hpp"
#include "sizes/size_box.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostLanes = 16;
constexpr std::size_t kMostColumns = 14;

std::string sizes_label(const Sizes& sizes) {
    std::string label;
    for (const std::int64_t size : sizes) {
        label += label.empty() ? "" : "x";
        label += size_text(size);
    }
    return label;
}

View::Cell bound_cell(const MapLane& lane) {
    const auto worst = std::max_element(lane.winners.begin(), lane.winners.end(),
                                        [](const Winner* left, const Winner* right) {
                                            return left->range.loss_bound < right->range.loss_bound;
                                        });
    return {bound_text((*worst)->range), (*worst)->range.loss_bound};
}

/// All sizes that the lane serves, written as a winner's.
std::string served_by(const MapLane& lane, const std::vector<std::string>& names) {
    std::vector<SizeBox> boxes = lane.sure;
    boxes.insert(boxes.end(), lane.unsure.begin(), lane.unsure.end());
    constexpr std::size_t kShown = 6;
    const std::size_t more = boxes.size() - std::min(boxes.size(), kShown);
    boxes.resize(boxes.size() - more);
    return coverage_text(boxes, names) + (more > 0 ? fmt::format(" and {} more", more) : "");
}

View lanes_view(const Coverage& coverage, const std::vector<MapLane>& lanes) {
    View view{"The configurations of winners, with what they serve",
              {number_column("row"), text_column("serves"), number_column("winners"),
               number_column("speed-up"), number_column("loss bound"), configuration_column()}};
    view.add(lanes, kMostLanes, [&](const MapLane& lane) -> View::Row {
        return {count_cell(view.rows.size() + 1),
                served_by(lane, coverage.size_names),
                count_cell(lane.winners.size()),
                speed_ups_cell(lane.winners),
                bound_cell(lane),
                lane.configuration};
    });
    return view;
}

/// The class of the style sheet for a time over the best.
std::string_view shade_of(double loss) {
    return loss <= 1.005  ? "h0"
           : loss <= 1.05 ? "h1"
           : loss <= 1.2  ? "h2"
           : loss <= 1.5  ? "h3"
                          : "h4";
}

std::string cell_of(const CostTable& costs, const CostTable::Probe& probe, const MapLane& lane) {
    const auto number = costs.find(lane.configuration);
    const bool serves = lane.serves(probe.sizes);
    const std::string_view mark = serves ? " serves" : "";
    if (!number || !probe.has(*number)) {
        return fmt::format("<td class=\"n{}\">{}</td>", mark, serves ? "serves" : "");
    }
    const double loss = costs.loss(probe, *number);
    if (!std::isfinite(loss)) {
        return fmt::format("<td class=\"n h4{}\">fails</td>", mark);
    }
    return fmt::format("<td class=\"n {}{}\">{}</td>", shade_of(loss), mark,
                       loss < 99.5 ? fmt::format("{:.2f}", loss) : fmt::format("{:.0f}", loss));
}

/// The time of each winner over the best, at the sizes that comparisons have tried.
std::string matrix(const SizeMap& map, const std::vector<MapLane>& lanes) {
    std::vector<const CostTable::Probe*> all;
    for (const CostTable::Probe& probe : map.costs.probes()) {
        all.push_back(&probe);
    }
    if (all.empty()) {
        return "<p class=\"note\">No comparison between sizes is stored. Tunings of a range, as of "
               "<code>--sizes 2^10..2^28</code>, and those behind calls make them.</p>\n";
    }
    std::sort(all.begin(), all.end(),
              [](const auto* left, const auto* right) { return left->sizes < right->sizes; });
    const auto probes = thinned(all, kMostColumns);
    constexpr std::string_view kCaption =
        "Time of each row over the best one that was compared at that size; framed: it serves "
        "there";
    std::string html = fmt::format(
        "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"{0}\">"
        "<table class=\"matrix\"><caption><span>{0}</span></caption><thead><tr><th scope=\"col\" "
        "class=\"n\">row</th>",
        kCaption);
    for (const CostTable::Probe* const probe : probes) {
        html += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", sizes_label(probe->sizes));
    }
    html += "</tr></thead><tbody>\n";
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        html += fmt::format("<tr><th scope=\"row\" class=\"n\">{}</th>", i + 1);
        for (const CostTable::Probe* const probe : probes) {
            html += cell_of(map.costs, *probe, lanes[i]);
        }
        html += "</tr>\n";
    }
    html += "</tbody></table></div>\n";
    return html + (all.size() > probes.size()
                       ? fmt::format("<p class=\"more\">{} of {} sizes that were compared.</p>\n",
                                     probes.size(), all.size())
                       : "");
}

std::string sentence_of(const SizeMap& map) {
    const Coverage& coverage = map.coverage;
    std::string text = fmt::format(
        "{}, data aligned to {} bytes. {} with {}", map.device_name, coverage.key.alignment,
        count_text(std::ssize(coverage.winners), "winner"),
        count_text(static_cast<std::int64_t>(coverage.configurations), "configuration"));
    if (!coverage.unsure.empty()) {
        text += fmt::format("; {} more {} unsure", coverage.unsure.size(),
                            coverage.unsure.size() == 1 ? "is" : "are");
    }
    if (coverage.share >= 0.001 && coverage.share < 0.9995) {
        text += fmt::format(
            "; the sure ones serve {} of the octaves from the smallest to the "
            "largest size",
            percent_text(coverage.share));
    }
    if (!map.missed.empty()) {
        text +=
            fmt::format("; {} of calls {} no winner", count_text(std::ssize(map.missed), "size"),
                        map.missed.size() == 1 ? "has" : "have");
    }
    return text + '.';
}

std::string part_of(const SizeMap& map, Allowance& room) {
    const std::vector<MapLane> all = map_lanes(map.coverage);
    const std::vector<MapLane> lanes(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMostLanes)));
    const std::string head = heading(3, kernel_text(map.coverage.key)) +
                             paragraph(sentence_of(map)) + map_picture(map, lanes) +
                             matrix(map, lanes);
    return article(head, {lanes_view(map.coverage, all)}, room, "jitune db list has all winners");
}

}  // namespace

std::string map_section(const ReportData& data, Allowance& room) {
    if (data.maps.empty()) {
        return room.fit(paragraph("No winner is stored."));
    }
    return parts(data.maps, data.more_maps, "map",
                 [&](const SizeMap& map) { return part_of(map, room); });
}

}  // namespace jitune::internal
