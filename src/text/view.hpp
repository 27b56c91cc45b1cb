// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jitune::internal {

enum class Align { left, right };

/// What the values of a column are, so that a page can set them apart.
enum class Look {
    plain,
    day,        ///< a day_text()
    code,       ///< a word of a machine, such as a hash
    long_code,  ///< the same of several words
    markup,     ///< HTML that the page has drawn. It holds no text of a database
};

struct Column {
    std::string title;
    Align align = Align::left;
    std::size_t width = 0;   ///< at least this wide, and at least as wide as the title
    bool is_detail = false;  ///< left out if a terminal is too narrow; the last ones first
    Look look = Look::plain;
    std::string key = {};  ///< the value's name in JSON; empty: JSON does not have it
};

Column text_column(std::string title);
Column number_column(std::string title);
Column code_column(std::string title);
Column long_code_column(std::string title);
Column configuration_column();
Column markup_column(std::string title);
/// A day, which is left out first.
Column day_column(std::string title);
/// The column as one that is left out first.
Column detail(Column column);
Column detail(std::string title, Align align = Align::left);
/// The column under another name in JSON.
Column named(std::string key, Column column);

/// For a view that leaves no rows out.
inline constexpr std::size_t kAllRows = static_cast<std::size_t>(-1);

/// A fact of a database as rows of cells. Its words, units and rounding are decided where it is
/// made; three writers lay it out: Table::text(), rows_json() and html_table().
struct View {
    /// A value: in words for people, and as the number by which pages sort and which JSON has.
    struct Cell {
        std::string text;
        double number = NAN;  ///< not finite: there is none

        Cell(std::string words) : text(std::move(words)) {}
        Cell(std::string_view words) : text(words) {}
        Cell(const char* words) : text(words) {}
        Cell(std::string words, double value) : text(std::move(words)), number(value) {}
    };
    using Row = std::vector<Cell>;

    std::string title = {};
    std::vector<Column> columns;
    std::vector<Row> rows = {};
    std::string note = {};  ///< says what marks in the rows mean, in lines
    std::size_t more = 0;   ///< rows that were left out

    /// Adds the row that `row_of` makes of each record, until there are `most` rows. Counts the
    /// other records as left out.
    template <class Records, class RowOf>
    void add(const Records& records, std::size_t most, const RowOf& row_of) {
        for (const auto& record : records) {
            if (rows.size() < most) {
                rows.push_back(row_of(record));
            } else {
                ++more;
            }
        }
    }
};

/// Cells with the units and the rounding of text/units.hpp.
View::Cell count_cell(std::integral auto count) {
    return {std::to_string(count), static_cast<double>(count)};
}
View::Cell time_cell(double nanoseconds);
View::Cell ratio_cell(double ratio);
View::Cell percent_cell(double part);

}  // namespace jitune::internal
