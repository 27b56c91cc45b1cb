// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace jitune::internal {

enum class Align { left, right };

struct Column {
    std::string title;
    Align align = Align::left;
    std::size_t width = 0;  ///< at least this wide, and at least as wide as the title
};

/// Text in columns. Lines end with a newline, and with no spaces before it.
class Table {
public:
    using Cells = std::vector<std::string>;

    explicit Table(std::vector<Column> columns);

    /// Widens the columns until `rows` fit.
    void fit(const std::vector<Cells>& rows);

    [[nodiscard]] std::string header() const;
    /// Needs one cell for each column. A cell wider than its column moves the rest of its line.
    [[nodiscard]] std::string line(const Cells& cells) const;

    /// Header and rows, fitted.
    static std::string text(std::vector<Column> columns, const std::vector<Cells>& rows);

private:
    std::vector<Column> columns_;
};

}  // namespace jitune::internal
