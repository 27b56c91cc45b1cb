// SPDX-License-Identifier: Apache-2.0
#include "report/html_table.hpp"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

HtmlTable three_rows() {
    HtmlTable table("Times & sizes", {{"name"}, {"time", ColumnKind::number}});
    for (const char* const name : {"a", "b", "<c>"}) {
        table.add({HtmlCell::of(name), HtmlCell::of("1.00 us", 1000)});
    }
    return table;
}

TEST(HtmlTable, NamesItselfItsColumnsAndItsRows) {
    Allowance room(10'000);
    const std::string html = three_rows().html(room, 10);
    EXPECT_NE(html.find("<caption><span>Times &amp; sizes</span></caption>"), std::string::npos);
    EXPECT_EQ(count_of(html, "<th scope=\"col\""), 2U);
    EXPECT_EQ(count_of(html, "<th scope=\"row\""), 3U);
    EXPECT_NE(html.find("<td class=\"n\" data-v=\"1000\">1.00 us</td>"), std::string::npos);
    EXPECT_NE(html.find("&lt;c&gt;"), std::string::npos);
}

TEST(HtmlTable, CountsTheRowsThatItLeavesOut) {
    Allowance room(10'000);
    EXPECT_NE(three_rows().html(room, 2, 5, "look elsewhere").find("6 more rows: look elsewhere"),
              std::string::npos);
    EXPECT_EQ(three_rows().html(room, 3).find("more row"), std::string::npos);
}

TEST(HtmlTable, NeverTakesMoreThanItsRoom) {
    for (std::size_t bytes = 0; bytes < 1500; bytes += 7) {
        Allowance room(bytes);
        const std::string html = three_rows().html(room, 10);
        EXPECT_LE(html.size(), bytes);
        EXPECT_EQ(room.left(), bytes - html.size());
        EXPECT_EQ(count_of(html, "<tr>"), count_of(html, "</tr>"));
        EXPECT_EQ(count_of(html, "<table"), count_of(html, "</table>"));
    }
}

TEST(HtmlTable, IsNothingWithoutRows) {
    Allowance room(10'000);
    EXPECT_EQ(HtmlTable("Nothing", {{"name"}}).html(room, 10), "");
    EXPECT_EQ(room.left(), 10'000U);
}

TEST(HtmlCell, HasNoNumberWhereThereIsNone) {
    EXPECT_EQ(HtmlCell::of("?", std::numeric_limits<double>::infinity()).number, "");
    EXPECT_EQ(HtmlCell::of("", 0).number, "");
    EXPECT_EQ(HtmlCell::of("3 %", 0.03).number, "0.03");
}

}  // namespace
}  // namespace jitune::internal
