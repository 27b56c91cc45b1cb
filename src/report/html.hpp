// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "support/utf8.hpp"
#include "text/view.hpp"

/// What sections make the page of: parts of HTML in which each text of a database is escaped.
namespace jitune::internal {

/// How many bytes a part of the page may still have, so that the whole stays small whatever the
/// size of the database.
class Allowance {
public:
    explicit Allowance(std::size_t bytes) : left_(bytes) {}

    /// Appends `html` to `page` if there is room for all of it.
    bool add(std::string& page, std::string_view html) {
        if (html.size() > left_) {
            return false;
        }
        left_ -= html.size();
        page += html;
        return true;
    }

    /// `html` if there is room for all of it, else "".
    std::string fit(const std::string& html) {
        std::string page;
        add(page, html);
        return page;
    }

    [[nodiscard]] std::size_t left() const { return left_; }

private:
    std::size_t left_;
};

/// Text that a database or a user has named, in one line, as content and as attribute values of
/// HTML and of SVG in it. What is no UTF-8, no character of XML, or turns the direction of the text
/// around it is shown as U+FFFD. Of more than `most` characters the rest is "…".
std::string escaped(std::string_view text, std::size_t most = kShownCharacters);

/// A paragraph of text that is escaped here.
std::string paragraph(std::string_view text);
/// HTML that the reader unfolds; "" of nothing.
std::string folded(std::string_view title, std::string_view html);
std::string heading(int level, std::string_view text);

/// The hint of most parts of the page.
inline constexpr std::string_view kFilterHint =
    "filter with --kernel, --type, --op or --device-class";

/// "62 more rows: filter with --kernel …"; "" for none. `hint` says how to see them.
std::string left_out(std::size_t count, std::string_view noun, std::string_view hint);

/// The parts that `part_of` makes of elements until one is "", which had no room; counts the
/// elements that are left out, and `more`.
template <class Elements, class PartOf>
std::string parts(const Elements& elements, std::size_t more, std::string_view noun,
                  const PartOf& part_of) {
    std::string html;
    std::size_t shown = 0;
    for (const auto& element : elements) {
        const std::string part = part_of(element);
        if (part.empty()) {
            break;
        }
        html += part;
        ++shown;
    }
    return html + left_out(elements.size() - shown + more, noun, kFilterHint);
}

/// A view as a table that the script sorts, under its title; "" where it has no rows. The first
/// cell of a row is its header. Has as many rows as there is room for, and counts the others and
/// those that the view left out below it.
std::string html_table(const View& view, Allowance& room, std::string_view hint = {});

/// An article of `head` and of tables in the room that it leaves; "" where it does not fit itself.
std::string article(const std::string& head, const std::vector<View>& tables, Allowance& room,
                    std::string_view hint = {});

}  // namespace jitune::internal
