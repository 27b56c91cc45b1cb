// SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include <array>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "support/utf8.hpp"

namespace jitune::internal {
namespace {

TEST(Escaped, LeavesNoCharacterThatHtmlOrAnAttributeReads) {
    EXPECT_EQ(escaped("<script>alert('a' & \"b\")</script>"),
              "&lt;script&gt;alert(&#39;a&#39; &amp; &quot;b&quot;)&lt;/script&gt;");
}

TEST(Escaped, IsOneLine) {
    EXPECT_EQ(escaped("a\n\r\tb\x01 c"), "a b c");
}

TEST(Escaped, KeepsUtf8AndReplacesWhatIsNone) {
    EXPECT_EQ(escaped("µs, 1 × 2, 😀"), "µs, 1 × 2, 😀");
    EXPECT_EQ(escaped("a\xff"
                      "b\xc3"),
              "a\xef\xbf\xbd"
              "b\xef\xbf\xbd");
    std::string all;
    for (int byte = 0; byte < 256; ++byte) {
        all += static_cast<char>(byte);
    }
    const std::string html = escaped(all + all, 1000);
    EXPECT_EQ(valid_utf8_bytes(html), html.size());
}

TEST(Escaped, ReplacesCharactersThatTurnTheDirectionOfText) {
    for (const char* const hidden : {"\u202e", "\u2066", "\u200f", "\ufeff", "\u0085"}) {
        EXPECT_EQ(escaped(hidden), "\xef\xbf\xbd");
    }
}

TEST(Escaped, CutsAfterWholeCharacters) {
    EXPECT_EQ(escaped("abc", 3), "abc");
    EXPECT_EQ(escaped("ééé", 2), "éé…");
    EXPECT_EQ(escaped(std::string(1'000'000, 'x')).size(), kShownCharacters + 3);
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

View three_rows(std::size_t most = kAllRows) {
    View view{"Times & sizes", {{"name"}, {"time", Align::right}}};
    view.add(std::array{"a", "b", "<c>"}, most, [](const char* name) -> View::Row {
        return {name, {"1.00 us", 1000}};
    });
    return view;
}

TEST(HtmlTable, NamesItselfItsColumnsAndItsRows) {
    Allowance room(10'000);
    const std::string html = html_table(three_rows(), room);
    EXPECT_NE(html.find("<caption><span>Times &amp; sizes</span></caption>"), std::string::npos);
    EXPECT_EQ(count_of(html, "<th scope=\"col\""), 2U);
    EXPECT_EQ(count_of(html, "<th scope=\"row\""), 3U);
    EXPECT_NE(html.find("<td class=\"n\" data-v=\"1000\">1.00 us</td>"), std::string::npos);
    EXPECT_NE(html.find("&lt;c&gt;"), std::string::npos);
}

TEST(HtmlTable, CountsTheRowsThatItLeavesOut) {
    Allowance room(10'000);
    View view = three_rows(2);
    view.more += 5;
    EXPECT_NE(html_table(view, room, "look elsewhere").find("6 more rows: look elsewhere"),
              std::string::npos);
    EXPECT_EQ(html_table(three_rows(3), room).find("more row"), std::string::npos);
}

TEST(HtmlTable, NeverTakesMoreThanItsRoom) {
    for (std::size_t bytes = 0; bytes < 1500; bytes += 7) {
        Allowance room(bytes);
        const std::string html = html_table(three_rows(), room);
        EXPECT_LE(html.size(), bytes);
        EXPECT_EQ(room.left(), bytes - html.size());
        EXPECT_EQ(count_of(html, "<tr>"), count_of(html, "</tr>"));
        EXPECT_EQ(count_of(html, "<table"), count_of(html, "</table>"));
    }
}

TEST(HtmlTable, IsNothingWithoutRows) {
    Allowance room(10'000);
    EXPECT_EQ(html_table({"Nothing", {{"name"}}}, room), "");
    EXPECT_EQ(room.left(), 10'000U);
}

TEST(HtmlTable, HasNoNumberWhereThereIsNone) {
    Allowance room(10'000);
    const View view{"Numbers",
                    {{"a"}, {"b"}, {"c"}},
                    {{{"?", std::numeric_limits<double>::infinity()}, {"", 0}, {"3 %", 0.03}}}};
    EXPECT_NE(html_table(view, room)
                  .find("<th scope=\"row\">?</th><td></td><td data-v=\"0.03\">3 %</td>"),
              std::string::npos);
}

TEST(HtmlTable, SetsDaysAndCodeApartAndEscapesThem) {
    Allowance room(10'000);
    const View view{
        "Looks",
        {day_column("day"), code_column("code"), configuration_column(), markup_column("drawn")},
        {{"2026-11-21", "<1>", "a=1", "<svg/>"}, {"", "", "", ""}},
        "? <unsure>\n"};
    const std::string html = html_table(view, room);
    EXPECT_NE(html.find("<time>2026-11-21</time></th><td><code>&lt;1&gt;</code></td>"
                        "<td><code class=\"long\">a=1</code></td><td><svg/></td>"),
              std::string::npos)
        << html;
    EXPECT_NE(html.find("<th scope=\"row\"></th><td></td><td></td><td></td>"), std::string::npos);
    EXPECT_NE(html.find("<p class=\"note\">? &lt;unsure&gt;"), std::string::npos);
}

}  // namespace
}  // namespace jitune::internal
