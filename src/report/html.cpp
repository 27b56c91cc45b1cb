// SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEntities{{
    {"&", "&amp;"},
    {"<", "&lt;"},
    {">", "&gt;"},
    {"\"", "&quot;"},
    {"'", "&#39;"},
}};

void append(std::string& html, const Character& character) {
    if (character.is_space) {
        html += html.ends_with(' ') ? "" : " ";
    } else if (character.is_hidden) {
        html += kReplacement;
    } else {
        const auto* const entity =
            std::find_if(kEntities.begin(), kEntities.end(),
                         [&](const auto& one) { return one.first == character.bytes; });
        html += entity == kEntities.end() ? character.bytes : entity->second;
    }
}

std::string content_of(const View::Cell& cell, Look look) {
    if (look == Look::markup || cell.text.empty()) {
        return cell.text;
    }
    const std::string text = escaped(cell.text);
    switch (look) {
        case Look::day:
            return fmt::format("<time>{}</time>", text);
        case Look::code:
            return fmt::format("<code>{}</code>", text);
        case Look::long_code:
            return fmt::format("<code class=\"long\">{}</code>", text);
        default:
            return text;
    }
}

std::string_view class_of(const Column& column) {
    return column.align == Align::right ? " class=\"n\"" : "";
}

std::string row_of(const View::Row& row, const std::vector<Column>& columns) {
    std::string html = "<tr>";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const View::Cell& cell = row.at(i);
        const bool has_number = !cell.text.empty() && std::isfinite(cell.number);
        const std::string_view tag = i == 0 ? "th" : "td";
        html += fmt::format("<{}{}{}{}>{}</{}>", tag, i == 0 ? " scope=\"row\"" : "",
                            class_of(columns[i]),
                            has_number ? fmt::format(" data-v=\"{:.6g}\"", cell.number) : "",
                            content_of(cell, columns[i].look), tag);
    }
    return html + "</tr>\n";
}

std::string head_of(const View& view) {
    std::string html = fmt::format(
        "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"{0}\">"
        "<table class=\"sortable\"><caption><span>{0}</span></caption><thead><tr>",
        escaped(view.title));
    for (const Column& column : view.columns) {
        html += fmt::format("<th scope=\"col\"{}>{}</th>", class_of(column), escaped(column.title));
    }
    return html + "</tr></thead><tbody>\n";
}

}  // namespace

std::string escaped(std::string_view text, std::size_t most) {
    std::string html;
    std::size_t shown = 0;
    while (!text.empty()) {
        if (shown++ == most) {
            return html.append(kEllipsis);
        }
        append(html, take_character(text));
    }
    return html;
}

std::string paragraph(std::string_view text) {
    return text.empty() ? "" : fmt::format("<p>{}</p>\n", escaped(text, 1000));
}

std::string folded(std::string_view title, std::string_view html) {
    return html.empty() ? ""
                        : fmt::format("<details><summary>{}</summary>\n{}</details>\n",
                                      escaped(title), html);
}

std::string heading(int level, std::string_view text) {
    return fmt::format("<h{0}>{1}</h{0}>\n", level, escaped(text));
}

std::string left_out(std::size_t count, std::string_view noun, std::string_view hint) {
    if (count == 0) {
        return "";
    }
    return fmt::format("<p class=\"more\">{} more {}{}{}{}</p>\n", count, noun,
                       count == 1 ? "" : "s", hint.empty() ? "" : ": ", hint);
}

std::string html_table(const View& view, Allowance& room, std::string_view hint) {
    if (view.rows.empty()) {
        return "";
    }
    const std::string note =
        view.note.empty() ? ""
                          : fmt::format("<p class=\"note\">{}</p>\n", escaped(view.note, 1000));
    const std::string end = "</tbody></table></div>\n" + note;
    std::string html = head_of(view);
    constexpr std::size_t kSentence = 200;  // that rows were left out
    const std::size_t frame = html.size() + end.size() + kSentence;
    Allowance rows(room.left() - std::min(room.left(), frame));
    std::size_t shown = 0;
    while (shown < view.rows.size() && rows.add(html, row_of(view.rows[shown], view.columns))) {
        ++shown;
    }
    return room.fit(html + end + left_out(view.rows.size() - shown + view.more, "row", hint));
}

std::string article(const std::string& head, const std::vector<View>& tables, Allowance& room,
                    std::string_view hint) {
    std::string html = "<article>\n" + head;
    Allowance rest(room.left() - std::min(room.left(), html.size()));
    for (const View& table : tables) {
        html += html_table(table, rest, hint);
    }
    return room.fit(html + "</article>\n");
}

}  // namespace jitune::internal
