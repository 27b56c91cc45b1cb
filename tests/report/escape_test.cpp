// SPDX-License-Identifier: Apache-2.0
#include "report/escape.hpp"

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

}  // namespace
}  // namespace jitune::internal
