// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/picture.hpp"

namespace jitune::internal {

/// Where one axis puts its values: from `low` at the coordinate `from` to `high` at `to`.
class Scale {
public:
    enum class Kind { linear, logarithmic };

    /// A logarithmic scale takes positive values. Values of an empty range are in its middle.
    Scale(Kind kind, double low, double high, double from, double to);

    /// Values outside lie on the nearer end.
    [[nodiscard]] double operator()(double value) const;
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }

private:
    Kind kind_;
    double low_, high_, from_, to_;
};

/// The least and the largest of some values above 0.
struct ValueRange {
    double low = 0, high = 0;  ///< 0: there is no value yet

    void include(double value);
    /// A logarithmic scale over these values, wider by the factor `margin` at both ends.
    [[nodiscard]] Scale scale(double margin, double from, double to) const;
};

struct Tick {
    double value = 0;
    std::string label;
};

/// Powers of two, "2^10", at most `most` of them, for a logarithmic scale of sizes.
std::vector<Tick> size_ticks(const Scale& scale, std::size_t most);

/// "20" for 20 and "1.5" for 1.5; a time in ns with its unit, "20 us". Ticks have round values,
/// which these print in full.
std::string number_label(double value);
std::string time_label(double nanoseconds);

/// Round values at equal distances of at least `least_step`, about `most` of them; `text` writes a
/// value.
std::vector<Tick> round_ticks(const Scale& scale, std::size_t most, std::string (*text)(double),
                              double least_step = 0);

/// Powers of ten, and some of their multiples if few are in range, for a logarithmic scale.
std::vector<Tick> decimal_ticks(const Scale& scale, std::string (*text)(double));

/// The rectangle between the axes.
struct Frame {
    double left, top, right, bottom;
};

/// The lines and labels of the horizontal axis, with its title below.
void draw_x_axis(Picture& picture, const Frame& frame, const Scale& x,
                 const std::vector<Tick>& ticks, std::string_view title);

/// Those of the vertical axis, with its title above.
void draw_y_axis(Picture& picture, const Frame& frame, const Scale& y,
                 const std::vector<Tick>& ticks, std::string_view title);

/// A horizontal line at the height `y`, with its words over all marks: where the line begins, or
/// where it ends.
void draw_ceiling(Picture& picture, const Frame& frame, double y, std::string_view style,
                  std::string_view words, Picture::Anchor anchor);

}  // namespace jitune::internal
