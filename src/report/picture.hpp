// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jitune::internal {

/// Shapes of marks, which tell apart what colours alone would not.
enum class Shape { dot, ring, cross, triangle, diamond, square, plus, bar };

/// A picture as SVG within HTML. Coordinates count from the upper left corner, to a tenth.
/// `style` is a class of the style sheet. Texts are escaped here.
class Picture {
public:
    enum class Anchor { start, middle, end };

    /// `label` says in words what the picture shows. `kind` is a class of the style sheet: "small"
    /// fits every screen, "wide" is scrolled on narrow ones.
    Picture(double width, double height, std::string_view label, std::string_view kind);

    void line(double x1, double y1, double x2, double y2, std::string_view style);
    /// The hint of a rectangle or mark is shown under the pointer.
    void rectangle(double x, double y, double width, double height, std::string_view style,
                   std::string_view hint = {});
    void text(double x, double y, std::string_view text, Anchor anchor, std::string_view style);
    /// A text that no mark covers.
    void text_on_top(double x, double y, std::string_view text, Anchor anchor,
                     std::string_view style);
    void mark(Shape shape, double x, double y, std::string_view style, std::string_view hint = {});

    /// A line through points; nothing where there are none.
    void path(std::span<const std::pair<double, double>> points, std::string_view style);

    [[nodiscard]] std::string svg() const;

private:
    void element(std::string_view tag, std::string_view attributes, std::string_view style,
                 std::string_view hint);

    bool is_wide_;
    std::string head_;
    std::string body_;
    std::string top_;  ///< over the body
};

/// The shape alone, for a legend.
std::string legend_mark(Shape shape, std::string_view style);

struct LegendEntry {
    Shape shape;
    std::string_view style;
    std::string_view words;
};

/// The marks of pictures with their meanings; "" of none.
std::string legend(std::span<const LegendEntry> entries);

/// What a picture has room for: at most `most` of the values, at equal distances, the first and the
/// last among them. `most` is at least 2.
template <class Value>
std::vector<Value> thinned(const std::vector<Value>& all, std::size_t most) {
    if (all.size() <= most) {
        return all;
    }
    std::vector<Value> some;
    for (std::size_t i = 0; i < most; ++i) {
        some.push_back(all[i * (all.size() - 1) / (most - 1)]);
    }
    return some;
}

}  // namespace jitune::internal
