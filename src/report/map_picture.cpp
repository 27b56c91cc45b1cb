// SPDX-License-Identifier: Apache-2.0
#include "report/map_picture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "report/axes.hpp"
#include "report/labels.hpp"
#include "report/thinned.hpp"
#include "text/units.hpp"
#include "tuner_db/winner_table.hpp"

namespace jitune::internal {

namespace {

constexpr double kPageWidth = 760;
constexpr std::size_t kMostBoxes = 60;  // of a lane
constexpr std::size_t kMostMissed = 60;

/// How many octaves a winner serves, in each dimension.
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

/// The extent of boxes and points along an axis.
struct Extent {
    double low = 0, high = 0;

    void include(double from, double to) {
        low = low == 0 ? from : std::min(low, from);
        high = std::max(high, to);
    }
    [[nodiscard]] Scale scale(double from, double to) const {
        return {Scale::Kind::logarithmic, std::max(low, 1.0) / 1.1, std::max(high, 1.0) * 1.1, from,
                to};
    }
};

/// How sizes become a number along an axis: one of them, or all multiplied.
double along(const Sizes& sizes, std::size_t axis) {
    if (axis < sizes.size()) {
        return static_cast<double>(sizes[axis]);
    }
    double product = 1;
    for (const std::int64_t size : sizes) {
        product *= static_cast<double>(size);
    }
    return product;
}

constexpr std::size_t kProduct = 1000;  // no axis: the product

Extent extent_of(const SizeMap& map, const std::vector<MapLane>& lanes, std::size_t axis) {
    Extent extent;
    for (const MapLane& lane : lanes) {
        for (const SizeBox& box : lane.boxes) {
            extent.include(along(box.from, axis), along(box.to, axis));
        }
        if (const auto tuned = exact_sizes(lane.winner->sizes)) {
            extent.include(along(*tuned, axis), along(*tuned, axis));
        }
    }
    for (const Sizes& sizes : map.missed) {
        extent.include(along(sizes, axis), along(sizes, axis));
    }
    return extent;
}

std::string hint_of(const MapLane& lane, std::size_t row) {
    return fmt::format("row {} serves {}: {}", row, short_served_text(*lane.winner),
                       lane.winner->configuration);
}

std::string label_of(const SizeMap& map) {
    return fmt::format("Which winner of {} serves which sizes. The table below says the same.",
                       kernel_text(map.coverage.key));
}

std::string_view lane_style(const MapLane& lane) {
    return lane.winner->range.unsure ? "box unsure" : "box";
}

/// A lane for each winner over one line of sizes.
std::string lanes_picture(const SizeMap& map, const std::vector<MapLane>& lanes, std::size_t axis,
                          const std::string& title) {
    constexpr double kLane = 18;
    const double missed_lane = map.missed.empty() ? 0 : kLane;
    const double bottom = 10 + kLane * static_cast<double>(lanes.size()) + missed_lane;
    const Frame frame{44, 8, kPageWidth - 8, bottom};
    Picture picture(kPageWidth, bottom + 36, label_of(map), "wide");
    const Scale x = extent_of(map, lanes, axis).scale(frame.left, frame.right);
    double top = frame.top;
    for (std::size_t i = 0; i < lanes.size(); ++i, top += kLane) {
        const MapLane& lane = lanes[i];
        picture.line(frame.left, top + kLane / 2, frame.right, top + kLane / 2, "rule");
        picture.text(frame.left - 8, top + kLane / 2 + 3.5, fmt::format("{}", i + 1),
                     Picture::Anchor::end, "label");
        for (const SizeBox& box : thinned(lane.boxes, kMostBoxes)) {
            const double left = x(along(box.from, axis));
            const double width = std::max(3.0, x(along(box.to, axis)) - left);
            picture.rectangle(left, top + 3, width, kLane - 6, lane_style(lane),
                              lane.boxes.size() <= 8 ? hint_of(lane, i + 1) : "");
        }
        if (const auto tuned = exact_sizes(lane.winner->sizes)) {
            picture.mark(Shape::ring, x(along(*tuned, axis)), top + kLane / 2, "mark tuned");
        }
    }
    if (!map.missed.empty()) {
        picture.text(frame.left - 8, top + kLane / 2 + 3.5, "none", Picture::Anchor::end, "label");
        for (const Sizes& sizes : thinned(map.missed, kMostMissed)) {
            picture.mark(Shape::triangle, x(along(sizes, axis)), top + kLane / 2, "mark wrong");
        }
    }
    draw_x_axis(picture, frame, x, size_ticks(x, 12), title);
    return picture.svg();
}

/// A rectangle for each box over the plane of two sizes, the second to the right.
std::string plane_picture(const SizeMap& map, const std::vector<MapLane>& lanes,
                          const std::vector<std::string>& names) {
    constexpr double kHeight = 380;
    const Frame frame{52, 30, kPageWidth - 8, kHeight - 36};
    Picture picture(kPageWidth, kHeight, label_of(map), "wide");
    const Scale x = extent_of(map, lanes, 1).scale(frame.left, frame.right);
    const Scale y = extent_of(map, lanes, 0).scale(frame.bottom, frame.top);
    draw_y_axis(picture, frame, y, size_ticks(y, 10), names[0]);
    draw_x_axis(picture, frame, x, size_ticks(x, 12), names[1]);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const MapLane& lane = lanes[i];
        double largest = 0;
        std::pair<double, double> middle;
        for (const SizeBox& box : thinned(lane.boxes, kMostBoxes)) {
            const double left = x(along(box.from, 1));
            const double top = y(along(box.to, 0));
            const double width = std::max(3.0, x(along(box.to, 1)) - left);
            const double height = std::max(3.0, y(along(box.from, 0)) - top);
            picture.rectangle(left, top, width, height, lane_style(lane),
                              lane.boxes.size() <= 8 ? hint_of(lane, i + 1) : "");
            if (width * height > largest) {
                largest = width * height;
                middle = {left + width / 2, top + height / 2 + 4};
            }
        }
        if (largest > 0) {
            picture.text(middle.first, middle.second, fmt::format("{}", i + 1),
                         Picture::Anchor::middle, "box-label");
        }
    }
    for (const Sizes& sizes : thinned(map.missed, kMostMissed)) {
        picture.mark(Shape::triangle, x(along(sizes, 1)), y(along(sizes, 0)), "mark wrong");
    }
    return picture.svg();
}

std::string legend_of(const SizeMap& map, std::size_t sizes) {
    std::string html = "<p class=\"legend\">";
    if (sizes != 2) {
        html += fmt::format("<span>{} where it was tuned</span>",
                            legend_mark(Shape::ring, "mark tuned"));
    }
    if (!map.missed.empty()) {
        html += fmt::format("<span>{} calls that no winner serves</span>",
                            legend_mark(Shape::triangle, "mark wrong"));
    }
    return html == "<p class=\"legend\">" ? "" : html + "</p>\n";
}

}  // namespace

std::vector<MapLane> map_lanes(const Coverage& coverage, std::size_t most) {
    std::vector<MapLane> lanes;
    for (const auto* const rows : {&coverage.winners, &coverage.unsure}) {
        for (const Winner* const winner : *rows) {
            if (auto boxes = boxes_of(*winner); boxes && !boxes->empty()) {
                lanes.push_back({winner, std::move(*boxes)});
            }
        }
    }
    std::stable_sort(lanes.begin(), lanes.end(), [](const MapLane& left, const MapLane& right) {
        return octaves_in(left.boxes) > octaves_in(right.boxes);
    });
    lanes.resize(std::min(lanes.size(), most));
    std::stable_sort(lanes.begin(), lanes.end(), [](const MapLane& left, const MapLane& right) {
        return left.boxes.front().from < right.boxes.front().from;
    });
    return lanes;
}

std::string map_picture(const SizeMap& map, const std::vector<MapLane>& lanes) {
    if (lanes.empty()) {
        return "";
    }
    std::vector<std::string> names = map.coverage.size_names;
    const std::size_t sizes = lanes.front().boxes.front().from.size();
    names.resize(std::max(names.size(), sizes));
    if (sizes == 2) {
        return plane_picture(map, lanes, names) + legend_of(map, sizes);
    }
    const std::string title = sizes == 1 ? names[0] : "product of the sizes";
    return lanes_picture(map, lanes, sizes == 1 ? 0 : kProduct, title) + legend_of(map, sizes);
}

}  // namespace jitune::internal
