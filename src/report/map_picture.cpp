// SPDX-License-Identifier: Apache-2.0
#include "report/map_picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "report/axes.hpp"
#include "sizes/box_sets.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

double octaves_in(const std::vector<SizeBox>& boxes) {
    double sum = 0;
    for (const SizeBox& box : boxes) {
        double product = 1;
        for (std::size_t i = 0; i < box.from.size(); ++i) {
            product *= std::log2(static_cast<double>(box.to[i]) + 1) -
                       std::log2(static_cast<double>(box.from[i]));
        }
        sum += product;
    }
    return sum;
}

constexpr double kPageWidth = 760;
constexpr double kMargin = 1.1;
constexpr std::size_t kMostBoxes = 60;  // of a lane
constexpr std::size_t kMostMissed = 60;

/// How sizes become a number along an axis: one of them, or all multiplied.
double along(const Sizes& sizes, std::size_t axis) {
    return axis < sizes.size() ? static_cast<double>(sizes[axis]) : elements_of(sizes);
}

constexpr std::size_t kProduct = 1000;  // no axis, but the product of all

ValueRange extent_of(const SizeMap& map, const std::vector<MapLane>& lanes, std::size_t axis) {
    ValueRange range;
    for (const MapLane& lane : lanes) {
        for (const auto* const boxes : {&lane.sure, &lane.unsure}) {
            for (const SizeBox& box : *boxes) {
                range.include(along(box.from, axis));
                range.include(along(box.to, axis));
            }
        }
        for (const Winner* const winner : lane.winners) {
            if (const auto tuned = exact_sizes(winner->sizes)) {
                range.include(along(*tuned, axis));
            }
        }
    }
    for (const Sizes& sizes : map.missed) {
        range.include(along(sizes, axis));
    }
    return range;
}

std::string hint_of(const MapLane& lane, std::size_t row) {
    return fmt::format("row {}: {}", row, lane.configuration);
}

std::string label_of(const SizeMap& map) {
    return fmt::format("Which winner of {} serves which sizes. The table below says the same.",
                       kernel_text(map.coverage.key));
}

constexpr double kLane = 18;

/// The boxes of a lane at this height.
void draw_boxes(Picture& picture, const Scale& x, double top, std::size_t axis,
                const std::vector<SizeBox>& boxes, std::string_view style,
                const std::string& hint) {
    for (const SizeBox& box : thinned(boxes, kMostBoxes)) {
        const double left = x(along(box.from, axis));
        const double width = std::max(3.0, x(along(box.to, axis)) - left);
        picture.rectangle(left, top + 3, width, kLane - 6, style, boxes.size() <= 8 ? hint : "");
    }
}

void draw_tuned(Picture& picture, const Scale& x, double top, std::size_t axis,
                const MapLane& lane) {
    for (const Winner* const winner : thinned(lane.winners, kMostBoxes)) {
        if (const auto tuned = exact_sizes(winner->sizes)) {
            picture.mark(Shape::ring, x(along(*tuned, axis)), top + kLane / 2, "mark tuned");
        }
    }
}

/// A lane for each configuration over one line of sizes.
std::string lanes_picture(const SizeMap& map, const std::vector<MapLane>& lanes, std::size_t axis,
                          const std::string& title) {
    const double missed_lane = map.missed.empty() ? 0 : kLane;
    const double bottom = 10 + kLane * static_cast<double>(lanes.size()) + missed_lane;
    const Frame frame{44, 8, kPageWidth - 8, bottom};
    Picture picture(kPageWidth, bottom + 36, label_of(map), "wide");
    const Scale x = extent_of(map, lanes, axis).scale(kMargin, frame.left, frame.right);
    double top = frame.top;
    const auto begin_lane = [&](const std::string& name) {
        picture.line(frame.left, top + kLane / 2, frame.right, top + kLane / 2, "rule");
        picture.text(frame.left - 8, top + kLane / 2 + 3.5, name, Picture::Anchor::end, "label");
    };
    for (std::size_t i = 0; i < lanes.size(); ++i, top += kLane) {
        const std::string hint = hint_of(lanes[i], i + 1);
        begin_lane(fmt::format("{}", i + 1));
        draw_boxes(picture, x, top, axis, lanes[i].sure, "box", hint);
        draw_boxes(picture, x, top, axis, lanes[i].unsure, "box unsure", hint);
        draw_tuned(picture, x, top, axis, lanes[i]);
    }
    if (!map.missed.empty()) {
        begin_lane("none");
        for (const Sizes& sizes : thinned(map.missed, kMostMissed)) {
            picture.mark(Shape::triangle, x(along(sizes, axis)), top + kLane / 2, "mark wrong");
        }
    }
    draw_x_axis(picture, frame, x, size_ticks(x, 12), title);
    return picture.svg();
}

/// The rectangles of a lane, with its number in the largest one.
void draw_rectangles(Picture& picture, const Scale& x, const Scale& y, const MapLane& lane,
                     std::size_t row) {
    double largest = 0;
    std::pair<double, double> middle;
    for (const auto& [boxes, style] :
         {std::pair(&lane.sure, "box"), std::pair(&lane.unsure, "box unsure")}) {
        for (const SizeBox& box : thinned(*boxes, kMostBoxes)) {
            const double left = x(along(box.from, 1));
            const double top = y(along(box.to, 0));
            const double width = std::max(3.0, x(along(box.to, 1)) - left);
            const double height = std::max(3.0, y(along(box.from, 0)) - top);
            picture.rectangle(left, top, width, height, style,
                              boxes->size() <= 8 ? hint_of(lane, row) : "");
            if (width * height > largest) {
                largest = width * height;
                middle = {left + width / 2, top + height / 2 + 4};
            }
        }
    }
    if (largest > 0) {
        picture.text(middle.first, middle.second, fmt::format("{}", row), Picture::Anchor::middle,
                     "box-label");
    }
}

/// A rectangle for each box over the plane of two sizes, the second to the right.
std::string plane_picture(const SizeMap& map, const std::vector<MapLane>& lanes,
                          const std::vector<std::string>& names) {
    constexpr double kHeight = 380;
    const Frame frame{52, 30, kPageWidth - 8, kHeight - 36};
    Picture picture(kPageWidth, kHeight, label_of(map), "wide");
    const Scale x = extent_of(map, lanes, 1).scale(kMargin, frame.left, frame.right);
    const Scale y = extent_of(map, lanes, 0).scale(kMargin, frame.bottom, frame.top);
    draw_y_axis(picture, frame, y, size_ticks(y, 10), names[0]);
    draw_x_axis(picture, frame, x, size_ticks(x, 12), names[1]);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        draw_rectangles(picture, x, y, lanes[i], i + 1);
    }
    for (const Sizes& sizes : thinned(map.missed, kMostMissed)) {
        picture.mark(Shape::triangle, x(along(sizes, 1)), y(along(sizes, 0)), "mark wrong");
    }
    return picture.svg();
}

std::string legend_of(const SizeMap& map, const std::vector<MapLane>& lanes, bool in_lanes) {
    std::vector<LegendEntry> entries;
    if (in_lanes) {
        entries.push_back({Shape::ring, "mark tuned", "where a winner was tuned"});
    }
    if (std::any_of(lanes.begin(), lanes.end(),
                    [](const MapLane& lane) { return !lane.unsure.empty(); })) {
        entries.push_back(
            {Shape::square, "box unsure", "unsure: the bound that was asked for is not reached"});
    }
    if (!map.missed.empty()) {
        entries.push_back({Shape::triangle, "mark wrong", "calls that no winner serves"});
    }
    return legend(entries);
}

}  // namespace

std::vector<MapLane> map_lanes(const Coverage& coverage) {
    std::map<std::string, MapLane> by_configuration;
    for (const auto* const rows : {&coverage.winners, &coverage.unsure}) {
        for (const Winner* const winner : *rows) {
            const auto boxes = boxes_of(*winner);
            if (!boxes || boxes->empty()) {
                continue;
            }
            MapLane& lane = by_configuration[server_text(*winner)];
            lane.configuration = server_text(*winner);
            lane.winners.push_back(winner);
            auto& sizes = may_serve(trust_of(*winner)) ? lane.sure : lane.unsure;
            sizes.insert(sizes.end(), boxes->begin(), boxes->end());
        }
    }
    std::vector<std::pair<double, MapLane>> ranked;
    for (auto& [configuration, lane] : by_configuration) {
        lane.sure = united(lane.sure);
        lane.unsure = united(lane.unsure);
        ranked.emplace_back(octaves_in(lane.sure) + octaves_in(lane.unsure), std::move(lane));
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& left, const auto& right) { return left.first > right.first; });
    std::vector<MapLane> lanes;
    for (auto& [octaves, lane] : ranked) {
        lanes.push_back(std::move(lane));
    }
    return lanes;
}

std::string map_picture(const SizeMap& map, const std::vector<MapLane>& lanes) {
    if (lanes.empty()) {
        return "";
    }
    const MapLane& first = lanes.front();
    const std::size_t sizes = (first.sure.empty() ? first.unsure : first.sure).front().from.size();
    std::vector<std::string> names = map.coverage.size_names;
    names.resize(std::max(names.size(), sizes));
    if (sizes == 2) {
        return plane_picture(map, lanes, names) + legend_of(map, lanes, false);
    }
    const std::string title = sizes == 1 ? names[0] : "product of the sizes";
    return lanes_picture(map, lanes, sizes == 1 ? 0 : kProduct, title) +
           legend_of(map, lanes, true);
}

}  // namespace jitune::internal
