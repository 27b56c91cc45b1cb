// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(ContentHash, IsTheBase64OfTheBytes) {
    constexpr std::string_view kOfNothing =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    EXPECT_EQ(content_hash({"", "", kOfNothing}),
              "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    EXPECT_EQ(content_hash({"", "", "fbff"}), "sha256-+/8=");
    EXPECT_EQ(content_hash({"", "", "00"}), "sha256-AA==");
}

}  // namespace
}  // namespace jitune::internal
