// SPDX-License-Identifier: Apache-2.0
#include "support/text_file.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

TEST(TextFile, IsReadAsItWasWritten) {
    const TempDir folder;
    const auto path = folder.path() / "text";
    write_file(path, {"one ", "two"});
    EXPECT_EQ(read_text_file(path), "one two");
    write_file(path, {"three"});
    EXPECT_EQ(read_text_file(path), "three");
}

TEST(TextFile, ThatCannotBeWrittenHasAReason) {
    const TempDir folder;
    const auto answer = [](const std::filesystem::path& path) {
        return refusal([&] { write_file(path, {"text"}); });
    };
    EXPECT_EQ(answer(folder.path()),
              "cannot write \"" + folder.path().string() + "\": Is a directory");
    EXPECT_TRUE(answer(folder.path() / "none" / "text").ends_with(": No such file or directory"));
    EXPECT_EQ(answer("/dev/full"), "cannot write \"/dev/full\": No space left on device");
}

TEST(TextFile, OfMoreThan16MiBIsRefused) {
    const TempDir folder;
    const auto path = folder.path() / "text";
    write_file(path, {"text"});
    std::filesystem::resize_file(path, std::size_t{64} << 20);
    EXPECT_NE(refusal([&] { read_text_file(path); }).find("at most 16 MiB"), std::string::npos);
}

TEST(TextFile, IsReadIfItIsThere) {
    const TempDir folder;
    const auto path = folder.path() / "text";
    EXPECT_EQ(read_if_there(path), "");
    EXPECT_EQ(read_if_there(path / "below"), "");
    const std::string text(10'000, 'x');
    write_file(path, {text});
    EXPECT_EQ(read_if_there(path), text);
    EXPECT_EQ(refusal([] { return read_if_there("/proc/self/mem"); }, ErrorKind::unavailable),
              "cannot read \"/proc/self/mem\": Input/output error");
}

TEST(TextFile, IsReplacedAsAWholeOrNotAtAll) {
    const TempDir folder;
    const auto path = folder.path() / "text";
    const auto link = folder.path() / "link";
    replace_file(path, "first");
    std::filesystem::create_symlink("text", link);
    std::filesystem::permissions(path, std::filesystem::perms{0640});
    replace_file(link, "second");
    EXPECT_EQ(read_if_there(path), "second");
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms{0640});
    EXPECT_NE(refusal([&] { replace_file(path / "below", "third"); }), "");
    EXPECT_NE(refusal([&] { replace_file(folder.path() / "none" / "text", "third"); }), "");
    const std::filesystem::directory_iterator files(folder.path());
    EXPECT_EQ(std::distance(begin(files), end(files)), 2) << "nothing is left beside it";
}

}  // namespace
}  // namespace jitune::internal
