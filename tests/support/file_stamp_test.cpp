// SPDX-License-Identifier: Apache-2.0
#include "support/file_stamp.hpp"

#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

TEST(FileStamp, ChangesWithTheFileAndIsThatOfTheFileBehindALink) {
    const TempDir dir;
    const std::filesystem::path file = dir.write("compiler", "one");
    const std::filesystem::path link = dir.path() / "link";
    std::filesystem::create_symlink(file, link);
    const std::string before = file_stamp(link);
    EXPECT_EQ(before, file_stamp(file));
    EXPECT_TRUE(before.ends_with("file=" + std::filesystem::canonical(file).string())) << before;

    const auto written = std::filesystem::last_write_time(file);
    static_cast<void>(dir.write("compiler", "three"));
    std::filesystem::last_write_time(file, written);
    const std::string longer = file_stamp(link);
    EXPECT_NE(longer, before);
    std::filesystem::last_write_time(file, written + std::chrono::nanoseconds(1000));
    EXPECT_NE(file_stamp(link), longer);
}

TEST(FileStamp, IsEmptyWhereThereIsNoFile) {
    const TempDir dir;
    EXPECT_EQ(file_stamp(dir.path() / "none"), "");
}

}  // namespace
}  // namespace jitune::internal
