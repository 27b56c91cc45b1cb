// SPDX-License-Identifier: Apache-2.0
#include "report/html_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "report/escape.hpp"
#include "report/labels.hpp"

namespace jitune::internal {

HtmlCell HtmlCell::of(std::string_view text) {
    return {escaped(text)};
}

HtmlCell HtmlCell::code(std::string_view text) {
    return {text.empty() ? "" : fmt::format("<code>{}</code>", escaped(text))};
}

HtmlCell HtmlCell::configuration(std::string_view text) {
    return {text.empty() ? "" : fmt::format("<code class=\"long\">{}</code>", escaped(text))};
}

HtmlCell HtmlCell::of(std::string_view text, double number) {
    const bool has_number = !text.empty() && std::isfinite(number);
    return {escaped(text), has_number ? fmt::format("{:.6g}", number) : ""};
}

HtmlCell HtmlCell::day(const std::string& time) {
    return {fmt::format("<time>{}</time>", escaped(day_text(time)))};
}

HtmlTable::HtmlTable(std::string_view caption, std::vector<HtmlColumn> columns)
    : caption_(escaped(caption)), columns_(std::move(columns)) {}

void HtmlTable::add(const std::vector<HtmlCell>& cells) {
    std::string row = "<tr>";
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const HtmlCell& cell = cells.at(i);
        const std::string_view tag = i == 0 ? "th" : "td";
        row += fmt::format("<{}{}{}{}>{}</{}>", tag, i == 0 ? " scope=\"row\"" : "",
                           columns_[i].kind == ColumnKind::number ? " class=\"n\"" : "",
                           cell.number.empty() ? "" : fmt::format(" data-v=\"{}\"", cell.number),
                           cell.html, tag);
    }
    rows_.push_back(row + "</tr>\n");
}

std::string HtmlTable::html(Allowance& room, std::size_t most, std::size_t more,
                            std::string_view hint) const {
    constexpr std::string_view kEnd = "</tbody></table></div>\n";
    if (rows_.empty()) {
        return "";
    }
    std::string head = fmt::format(
        "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"{0}\">"
        "<table class=\"sortable\"><caption><span>{0}</span></caption><thead><tr>",
        caption_);
    for (const HtmlColumn& column : columns_) {
        head += fmt::format("<th scope=\"col\"{}>{}</th>",
                            column.kind == ColumnKind::number ? " class=\"n\"" : "",
                            escaped(column.title));
    }
    head += "</tr></thead><tbody>\n";
    constexpr std::size_t kSentence = 200;  // that rows were left out
    const std::size_t frame = head.size() + kEnd.size() + kSentence;
    Allowance rows(room.left() - std::min(room.left(), frame));
    std::size_t shown = 0;
    while (shown < std::min(most, rows_.size()) && rows.add(head, rows_[shown])) {
        ++shown;
    }
    std::string page;
    room.add(page, head.append(kEnd) + left_out(rows_.size() - shown + more, "row", hint));
    return page;
}

std::string left_out(std::size_t count, std::string_view noun, std::string_view hint) {
    if (count == 0) {
        return "";
    }
    return fmt::format("<p class=\"more\">{} more {}{}{}{}</p>\n", count, noun,
                       count == 1 ? "" : "s", hint.empty() ? "" : ": ", hint);
}

}  // namespace jitune::internal
