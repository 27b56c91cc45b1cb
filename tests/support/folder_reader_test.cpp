// SPDX-License-Identifier: Apache-2.0
#include "support/folder_reader.hpp"

#include <fcntl.h>

#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/no_memory.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;

class FolderReaderTest : public testing::Test {
protected:
    FolderReaderTest() {
        std::ofstream(kept_ / "file") << "text";
        fs::create_directories(tree_ / "a" / "b");
        std::ofstream(tree_ / "a" / "b" / "file") << "text";
        fs::create_directory_symlink(kept_, tree_ / "a" / "link");
    }

    static std::set<std::string> names_in(FolderReader folder) {
        std::set<std::string> names;
        while (const char* const name = folder.next()) {
            names.insert(name);
        }
        return names;
    }

    const TempDir dir_;
    const fs::path kept_ = dir_.path();
    const fs::path tree_ = dir_.path() / "tree";
};

TEST_F(FolderReaderTest, GivesEachNameButThoseOfTheFolderAndItsParent) {
    EXPECT_EQ(names_in(FolderReader((tree_ / "a").c_str())), (std::set<std::string>{"b", "link"}));
    EXPECT_EQ(names_in(FolderReader((tree_ / "a" / "link").c_str())),
              (std::set<std::string>{"file", "tree"}));
    const FolderReader parent((tree_ / "a").c_str());
    EXPECT_EQ(names_in(FolderReader(parent.number(), "b")), std::set<std::string>{"file"});
}

TEST_F(FolderReaderTest, GivesNothingOfWhatIsNoFolder) {
    for (const fs::path& path : {kept_ / "file", kept_ / "none"}) {
        EXPECT_FALSE(FolderReader(path.c_str()).is_open());
        EXPECT_TRUE(names_in(FolderReader(path.c_str())).empty());
    }
    const FolderReader parent((tree_ / "a").c_str());
    EXPECT_FALSE(FolderReader(parent.number(), "link").is_open());
}

TEST_F(FolderReaderTest, RemovesATreeButNotWhatItsLinksName) {
    EXPECT_TRUE(remove_tree(tree_));
    EXPECT_FALSE(fs::exists(tree_));
    EXPECT_TRUE(fs::exists(kept_ / "file"));
    EXPECT_TRUE(remove_tree(tree_)) << "nothing is left of it";
    EXPECT_TRUE(remove_tree(kept_ / "file"));
    EXPECT_FALSE(fs::exists(kept_ / "file"));
}

TEST_F(FolderReaderTest, NeedsNoMemory) {
    const fs::path folder = tree_ / "a";
    int names = 0;
    {
        const NoMemory none;
        FolderReader reader(folder.c_str());
        while (reader.next() != nullptr) {
            ++names;
        }
    }
    EXPECT_EQ(names, 2);
}

}  // namespace
}  // namespace jitune::internal
