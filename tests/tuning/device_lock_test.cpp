// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/device_lock.hpp"

#include <unistd.h>

#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using namespace std::chrono_literals;

class DeviceLockTest : public testing::Test {
protected:
    ~DeviceLockTest() override { unlink(("/tmp/jitune-" + uuid_ + ".lock").c_str()); }

    std::string uuid_ = "TEST-" + std::to_string(getpid());
    std::vector<std::string> warnings_;
    Log log_{LogLevel::warning,
             [this](LogLevel, std::string_view line) { warnings_.emplace_back(line); }};
};

TEST_F(DeviceLockTest, GrantsADeviceToOneHolderAtATime) {
    DeviceLock first(uuid_, log_), second(uuid_, log_, 20ms);
    {
        const auto turn = first.turn();
        EXPECT_TRUE(turn.alone());
        EXPECT_FALSE(second.turn().alone());
        EXPECT_FALSE(second.turn().alone());
    }
    EXPECT_TRUE(second.turn().alone());
    EXPECT_TRUE(first.turn().alone());
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_NE(warnings_[0].find("another process has held the device"), std::string::npos);
}

TEST_F(DeviceLockTest, LocksTwoDevicesSeparately) {
    DeviceLock first(uuid_, log_), second(uuid_ + "-other", log_, 20ms);
    const auto turn = first.turn();
    EXPECT_TRUE(second.turn().alone());
    unlink(("/tmp/jitune-" + uuid_ + "-other.lock").c_str());
}

TEST_F(DeviceLockTest, IsNotNeededForADeviceWithoutUuid) {
    DeviceLock first("", log_), second("", log_);
    const auto turn = first.turn();
    EXPECT_TRUE(turn.alone());
    EXPECT_TRUE(second.turn().alone());
}

TEST_F(DeviceLockTest, WarnsWhereTheLockFileCannotBeMade) {
    unsetenv("XDG_RUNTIME_DIR");
    DeviceLock none("no/such/folder", log_);
    EXPECT_FALSE(none.turn().alone());
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_NE(warnings_[0].find("No such file"), std::string::npos) << warnings_[0];
}

}  // namespace
}  // namespace jitune::internal
