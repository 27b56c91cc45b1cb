// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/allowance.hpp"

namespace jitune::internal {

/// How the script sorts the column of a table, and on which side its cells stand.
enum class ColumnKind { text, number };

struct HtmlColumn {
    std::string title;
    ColumnKind kind = ColumnKind::text;
};

/// A cell: HTML, and the number by which it is sorted.
struct HtmlCell {
    std::string html;
    std::string number = {};

    /// Of a text that is still to be escaped.
    static HtmlCell of(std::string_view text);
    /// A word of a machine, such as a hash, in a font of equal widths.
    static HtmlCell code(std::string_view text);
    /// The same of a longer text, which may take several lines.
    static HtmlCell configuration(std::string_view text);
    static HtmlCell of(std::string_view text, double number);
    /// The day of a time in a database.
    static HtmlCell day(const std::string& time);
};

/// A table with a caption. The first cell of a row is its header. The script makes the headers of
/// columns sort the rows.
class HtmlTable {
public:
    HtmlTable(std::string_view caption, std::vector<HtmlColumn> columns);

    void add(const std::vector<HtmlCell>& cells);
    [[nodiscard]] bool empty() const { return rows_.empty(); }

    /// As many rows as there is room for, at most `most`; the others, and `more` that were never
    /// added, are counted below it. `hint` says how to see them.
    [[nodiscard]] std::string html(Allowance& room, std::size_t most, std::size_t more = 0,
                                   std::string_view hint = {}) const;

private:
    std::string caption_;
    std::vector<HtmlColumn> columns_;
    std::vector<std::string> rows_;
};

/// "62 more rows: filter with --kernel …"; "" for none.
std::string left_out(std::size_t count, std::string_view noun, std::string_view hint);

/// The hint of most parts of the page.
inline constexpr std::string_view kFilterHint =
    "filter with --kernel, --type, --op or --device-class";

}  // namespace jitune::internal
