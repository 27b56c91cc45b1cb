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

struct Tick {
    double value = 0;
    std::string label;
};

/// Powers of two, "2^10", at most `most` of them, for a logarithmic scale of sizes.
std::vector<Tick> size_ticks(const Scale& scale, std::size_t most);

/// Powers of ten, and 2 and 5 times these where few are in range; `text` writes a value.
std::vector<Tick> decimal_ticks(const Scale& scale, std::string (*text)(double));

/// Round values at equal distances, at most `most` of them.
std::vector<Tick> round_ticks(const Scale& scale, std::size_t most, std::string (*text)(double));

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

}  // namespace jitune::internal
