// SPDX-License-Identifier: Apache-2.0
#include "support/log.hpp"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(Log, PassesOnMessagesOfItsLevelAndMoreSevereOnes) {
    std::string seen;
    const Log log(LogLevel::warning, [&](LogLevel level, std::string_view message) {
        seen += std::string(to_string(level)) + ":" + std::string(message) + ";";
    });
    log.error("{}", 1);
    log.warning("{}", 2);
    log.info("{}", 3);
    EXPECT_EQ(seen, "error:1;warning:2;");
}

TEST(Log, IsSilentWhenOff) {
    const Log log(LogLevel::off, [](LogLevel, std::string_view) { FAIL(); });
    log.error("nothing");
}

TEST(Log, DropsExceptionsOfTheSink) {
    const Log log(LogLevel::debug,
                  [](LogLevel, std::string_view) { throw std::runtime_error("full"); });
    EXPECT_NO_THROW(log.error("lost"));
}

}  // namespace
}  // namespace jitune::internal
