// SPDX-License-Identifier: Apache-2.0
#include "cli/table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "text/units.hpp"

namespace jitune::internal {

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
    for (Column& column : columns_) {
        column.width = std::max(column.width, column.title.size());
    }
}

void Table::fit(const std::vector<Cells>& rows) {
    for (const Cells& row : rows) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            columns_[i].width = std::max(columns_[i].width, row.at(i).size());
        }
    }
}

std::string Table::header() const {
    Cells titles;
    for (const Column& column : columns_) {
        titles.push_back(column.title);
    }
    return line(titles);
}

std::string Table::line(const Cells& cells) const {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto& [title, align, width] = columns_[i];
        text += i == 0 ? "" : "  ";
        const std::string cell = one_line(cells.at(i));  // a database may hold anything
        text += align == Align::left ? fmt::format("{:<{}}", cell, width)
                                     : fmt::format("{:>{}}", cell, width);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
}

std::string Table::text(std::vector<Column> columns, const std::vector<Cells>& rows) {
    Table table(std::move(columns));
    table.fit(rows);
    std::string text = table.header();
    for (const Cells& row : rows) {
        text += table.line(row);
    }
    return text;
}

}  // namespace jitune::internal
