// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/table.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "text/units.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostCell = 1000;   // whole, too: a database may hold anything
constexpr std::size_t kMostColumn = 300;  // longer cells move the rest of their line
constexpr std::size_t kLeastColumn = 6;
constexpr std::string_view kBetween = "  ";

std::string shown_cell(const std::string& cell) {
    return fitted_begin(one_line(fitted_begin(cell, kMostCell)), kMostCell);
}

}  // namespace

Table::Table(std::vector<Column> columns, std::size_t width)
    : columns_(std::move(columns)), is_shown_(columns_.size(), true), width_(width) {
    for (Column& column : columns_) {
        column.width = std::max(column.width, columns_of(column.title));
    }
    narrow();
}

void Table::fit(const std::vector<Cells>& rows) {
    for (const Cells& row : rows) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::size_t width = std::min(columns_of(shown_cell(row.at(i))), kMostColumn);
            columns_[i].width = std::max(columns_[i].width, width);
        }
    }
    narrow();
}

std::size_t Table::total() const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (is_shown_[i]) {
            total += (total == 0 ? 0 : kBetween.size()) + columns_[i].width;
        }
    }
    return total;
}

void Table::narrow() {
    for (std::size_t i = columns_.size(); i-- > 0 && total() > width_;) {
        is_shown_[i] = !columns_[i].is_detail;
    }
    while (total() > width_) {
        Column* widest = nullptr;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            Column& column = columns_[i];
            const bool can_be_cut =
                is_shown_[i] && column.align == Align::left && column.width > kLeastColumn;
            if (can_be_cut && (widest == nullptr || column.width > widest->width)) {
                widest = &column;
            }
        }
        if (widest == nullptr) {
            return;
        }
        --widest->width;
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
    const auto last = static_cast<std::size_t>(
        std::find(is_shown_.rbegin(), is_shown_.rend(), true).base() - is_shown_.begin());
    std::string text;
    std::size_t used = 0;
    for (std::size_t i = 0; i < last; ++i) {
        if (!is_shown_[i]) {
            continue;
        }
        const std::size_t width = columns_[i].width;
        const Align align = columns_[i].align;
        text += used == 0 ? "" : kBetween;
        used += used == 0 ? 0 : kBetween.size();
        std::string cell = shown_cell(cells.at(i));
        if (align == Align::left && width_ != kWhole) {
            cell = fitted_begin(cell, i + 1 == last ? width_ - std::min(width_, used) : width);
        }
        const std::size_t columns = columns_of(cell);
        const std::string space(width - std::min(width, columns), ' ');
        text += align == Align::left ? cell + space : space + cell;
        used += std::max(width, columns);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
}

std::string Table::text(std::vector<Column> columns, const std::vector<Cells>& rows,
                        std::size_t width) {
    Table table(std::move(columns), width);
    table.fit(rows);
    std::string text = table.header();
    for (const Cells& row : rows) {
        text += table.line(row);
    }
    return text;
}

std::string Table::text(const View& view, std::size_t width) {
    std::vector<Cells> rows;
    for (const View::Row& row : view.rows) {
        Cells& cells = rows.emplace_back();
        for (const View::Cell& cell : row) {
            cells.push_back(cell.text);
        }
    }
    return rows.empty() ? "" : text(view.columns, rows, width) + view.note;
}

}  // namespace jitune::internal
