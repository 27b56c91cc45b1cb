// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "text/view.hpp"

namespace jitune::internal {

/// The width of a table of which nothing is to be left out.
inline constexpr std::size_t kWhole = static_cast<std::size_t>(-1);

/// Text in columns, in at most `width` columns of a terminal: if it is too wide, details are
/// left out, then texts are cut, the longest first. Numbers, which stand to the right, are not.
/// Lines end with a newline, and with no spaces before it.
class Table {
public:
    using Cells = std::vector<std::string>;

    Table(std::vector<Column> columns, std::size_t width);

    /// Widens the columns until `rows` fit, as far as the width of the table goes.
    void fit(const std::vector<Cells>& rows);

    [[nodiscard]] std::string header() const;
    /// Needs one cell for each column. A number wider than its column moves the rest of its line,
    /// of which the last text is cut.
    [[nodiscard]] std::string line(const Cells& cells) const;

    /// Header and rows, fitted.
    static std::string text(std::vector<Column> columns, const std::vector<Cells>& rows,
                            std::size_t width);
    /// The same of a view, with its note; "" of one without rows.
    static std::string text(const View& view, std::size_t width);

private:
    /// Leaves out and cuts what is too wide.
    void narrow();
    [[nodiscard]] std::size_t total() const;

    std::vector<Column> columns_;
    std::vector<bool> is_shown_;
    std::size_t width_;
};

}  // namespace jitune::internal
