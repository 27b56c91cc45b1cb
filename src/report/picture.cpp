// SPDX-License-Identifier: Apache-2.0
#include "report/picture.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/html.hpp"

namespace jitune::internal {

namespace {

/// A coordinate to a tenth, as short as it can be.
std::string at(double value) {
    const double tenths = std::round(value * 10);
    return std::isfinite(tenths) ? fmt::format("{}", tenths / 10) : "0";
}

/// The path of each Shape around the origin; a circle has none.
constexpr std::array<std::string_view, 8> kPaths{
    "",                   // dot
    "",                   // ring
    "m-3-3 6 6m0-6-6 6",  // cross
    "m0-3.5 3.5 6h-7z",   // triangle
    "m0-4 4 4-4 4-4-4z",  // diamond
    "m-3-3h6v6h-6z",      // square
    "m0-4v8m-4-4h8",      // plus
    "m0-6v12",            // bar
};

std::string_view path_of(Shape shape) {
    return kPaths.at(static_cast<std::size_t>(shape));
}

std::string attributes_of(Shape shape, double x, double y) {
    return path_of(shape).empty() ? fmt::format("cx=\"{}\" cy=\"{}\" r=\"3\"", at(x), at(y))
                                  : fmt::format("d=\"M{} {}{}\"", at(x), at(y), path_of(shape));
}

std::string_view tag_of(Shape shape) {
    return path_of(shape).empty() ? "circle" : "path";
}

}  // namespace

Picture::Picture(double width, double height, std::string_view label, std::string_view kind)
    : is_wide_(kind == "wide"),
      head_(fmt::format(R"(<svg class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}">)", kind,
                        at(width), at(height), escaped(label, 600))) {}

void Picture::element(std::string_view tag, std::string_view attributes, std::string_view style,
                      std::string_view hint) {
    if (hint.empty()) {
        body_ += fmt::format("<{} class=\"{}\" {}/>", tag, style, attributes);
    } else {
        body_ += fmt::format("<{0} class=\"{1}\" {2}><title>{3}</title></{0}>", tag, style,
                             attributes, escaped(hint));
    }
}

void Picture::line(double x1, double y1, double x2, double y2, std::string_view style) {
    element("path", fmt::format("d=\"M{} {}L{} {}\"", at(x1), at(y1), at(x2), at(y2)), style, {});
}

void Picture::rectangle(double x, double y, double width, double height, std::string_view style,
                        std::string_view hint) {
    element(
        "rect",
        fmt::format(R"(x="{}" y="{}" width="{}" height="{}")", at(x), at(y), at(width), at(height)),
        style, hint);
}

namespace {

std::string text_element(double x, double y, std::string_view text, Picture::Anchor anchor,
                         std::string_view style) {
    using Anchor = Picture::Anchor;
    const std::string_view side = anchor == Anchor::start    ? ""
                                  : anchor == Anchor::middle ? " text-anchor=\"middle\""
                                                             : " text-anchor=\"end\"";
    return fmt::format(R"(<text class="{}" x="{}" y="{}"{}>{}</text>)", style, at(x), at(y), side,
                       escaped(text, 80));
}

}  // namespace

void Picture::text(double x, double y, std::string_view text, Anchor anchor,
                   std::string_view style) {
    body_ += text_element(x, y, text, anchor, style);
}

void Picture::text_on_top(double x, double y, std::string_view text, Anchor anchor,
                          std::string_view style) {
    top_ += text_element(x, y, text, anchor, style);
}

void Picture::mark(Shape shape, double x, double y, std::string_view style, std::string_view hint) {
    element(tag_of(shape), attributes_of(shape, x, y), style, hint);
}

void Picture::path(std::span<const std::pair<double, double>> points, std::string_view style) {
    std::string path;
    for (const auto& [x, y] : points) {
        path += fmt::format("{}{} {}", path.empty() ? "M" : "L", at(x), at(y));
    }
    if (!path.empty()) {
        element("path", fmt::format("d=\"{}\"", path), style, {});
    }
}

std::string Picture::svg() const {
    const std::string svg = head_ + body_ + top_ + "</svg>";
    return is_wide_ ? fmt::format(
                          "<div class=\"scroll\" role=\"group\" tabindex=\"0\" "
                          "aria-label=\"Picture\">{}</div>\n",
                          svg)
                    : svg + '\n';
}

std::string legend_mark(Shape shape, std::string_view style) {
    return fmt::format(
        R"(<svg class="key" viewBox="0 0 12 12" aria-hidden="true"><{} class="{}" {}/></svg>)",
        tag_of(shape), style, attributes_of(shape, 6, 6));
}

std::string legend(std::span<const LegendEntry> entries) {
    std::string html;
    for (const auto& [shape, style, words] : entries) {
        html += fmt::format("<span>{} {}</span>", legend_mark(shape, style), escaped(words));
    }
    return html.empty() ? "" : "<p class=\"legend\">" + html + "</p>\n";
}

}  // namespace jitune::internal
