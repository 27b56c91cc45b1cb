// SPDX-License-Identifier: Apache-2.0
#include "report/map_picture.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "report/axes.hpp"
#include "report/labels.hpp"
#include "report/thinned.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

constexpr double kPageWidth = 760;
constexpr std::size_t kMostBoxes = 60;  // of a lane
constexpr std::size_t kMostMissed = 60;

/// The extent of boxes and points along an axis.
struct AxisExtent {
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

AxisExtent extent_of(const SizeMap& map, const std::vector<MapLane>& lanes, std::size_t axis) {
    AxisExtent extent;
    for (const MapLane& lane : lanes) {
        for (const auto* const boxes : {&lane.sure, &lane.unsure}) {
            for (const SizeBox& box : *boxes) {
                extent.include(along(box.from, axis), along(box.to, axis));
            }
        }
        for (const Winner* const winner : lane.winners) {
            if (const auto tuned = exact_sizes(winner->sizes)) {
                extent.include(along(*tuned, axis), along(*tuned, axis));
            }
        }
    }
    for (const Sizes& sizes : map.missed) {
        extent.include(along(sizes, axis), along(sizes, axis));
    }
    return extent;
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
    const Scale x = extent_of(map, lanes, axis).scale(frame.left, frame.right);
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
    const Scale x = extent_of(map, lanes, 1).scale(frame.left, frame.right);
    const Scale y = extent_of(map, lanes, 0).scale(frame.bottom, frame.top);
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
    const auto entry = [](Shape shape, std::string_view style, std::string_view words) {
        return fmt::format("<span>{} {}</span>", legend_mark(shape, style), words);
    };
    std::string html;
    if (in_lanes) {
        html += entry(Shape::ring, "mark tuned", "where a winner was tuned");
    }
    if (std::any_of(lanes.begin(), lanes.end(),
                    [](const MapLane& lane) { return !lane.unsure.empty(); })) {
        html += entry(Shape::square, "box unsure",
                      "unsure: the bound that was asked for is not reached");
    }
    if (!map.missed.empty()) {
        html += entry(Shape::triangle, "mark wrong", "calls that no winner serves");
    }
    return html.empty() ? "" : "<p class=\"legend\">" + html + "</p>\n";
}

}  // namespace

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
