// SPDX-License-Identifier: Apache-2.0
#include "support/utf8.hpp"

#include <string>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(Utf8, TakesTheFirstAndLastCharacterOfEachLength) {
    const std::string text =
        "\x01\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"
        "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";
    EXPECT_EQ(valid_utf8_bytes(text), text.size());
    EXPECT_EQ(valid_utf8_bytes(std::string(3, '\0')), 3U);
    EXPECT_EQ(valid_utf8_bytes(""), 0U);
}

TEST(Utf8, EndsAtTheFirstByteThatIsNone) {
    for (const std::string wrong : {
             "\x80",              // a second byte alone
             "\xc0\x80",          // two bytes for what has one
             "\xe0\x9f\xbf",      // three bytes for what has two
             "\xf0\x8f\xbf\xbf",  // four bytes for what has three
             "\xed\xa0\x80",      // a surrogate
             "\xf4\x90\x80\x80",  // above U+10FFFF
             "\xf5\x80\x80\x80",
             "\xff",
             "\xe2\x82",  // cut short
             "\xe2\x82(",
         }) {
        EXPECT_EQ(valid_utf8_bytes("ab" + wrong + "cd"), 2U) << testing::PrintToString(wrong);
        EXPECT_EQ(valid_utf8_bytes("ab" + wrong), 2U) << testing::PrintToString(wrong);
    }
}

}  // namespace
}  // namespace jitune::internal
