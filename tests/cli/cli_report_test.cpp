// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "fixtures/cli_fixture.hpp"
#include "fixtures/ordinary_user.hpp"
#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

class CliReport : public CliFixture {
protected:
    void SetUp() override {
        CliFixture::SetUp();
        TuningStore::open(database(), TuningStore::Access::read_write, Log(LogLevel::error, {}))
            ->save(std::vector{measurement_of(40)}, winner_of(40));
    }
    [[nodiscard]] std::string database() const { return path("tuning.db"); }

    [[nodiscard]] bool is_page(const std::string& name) const {
        const std::string page = contents(path(name));
        return page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n");
    }
    [[nodiscard]] std::size_t files() const {
        const std::filesystem::directory_iterator all(folder_);
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }
};

TEST_F(CliReport, WritesOneFileAndSaysSo) {
    const Answer answer = shell("cd \"$folder\" && exec \"$jitune\" report");
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_EQ(answer.out.substr(0, 18), "wrote report.html:");
    EXPECT_TRUE(is_page("report.html"));
    EXPECT_TRUE(jitune("report --out -").out.starts_with("<!DOCTYPE html>"));
}

TEST_F(CliReport, ReplacesAFileAsAWhole) {
    std::ofstream(path("old.html")) << "old";
    ::chmod(path("old.html").c_str(), 0604);
    std::filesystem::create_symlink("old.html", path("link.html"));
    const std::size_t before = files();
    EXPECT_EQ(jitune("report --out " + path("link.html")).code, 0);
    EXPECT_EQ(files(), before + 3) << "a script, out and err";
    EXPECT_TRUE(is_page("old.html"));
    EXPECT_TRUE(std::filesystem::is_symlink(path("link.html")));
    struct stat status {};
    EXPECT_EQ(::stat(path("old.html").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0604U);
}

TEST_F(CliReport, KeepsTheOldFileWhereTheNewOneCannotBeWritten) {
    std::ofstream(path("old.html")) << "old";
    const Answer answer = shell("ulimit -f 4; exec \"$jitune\" report --out \"$folder/old.html\"");
    EXPECT_EQ(answer.code, 2) << answer.err;
    EXPECT_EQ(contents(path("old.html")), "old");
    EXPECT_TRUE(is_one_line(answer.err)) << answer.err;
}

TEST_F(CliReport, WritesToDevicesAndPipesWithoutReplacingThem) {
    const Answer answer = jitune("report --out /dev/stdout");
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_TRUE(answer.out.starts_with("<!DOCTYPE html>"));
}

TEST_F(CliReport, RefusesTheDatabaseFoldersAndPlacesThatAreNotThere) {
    expect_failure("report --out " + database(), 2, "database");
    expect_failure("report --out " + database() + "-wal", 2, "database");
    const Answer relative =
        shell("cd \"$folder\"; exec \"$jitune\" report --db tuning.db --out ../" +
              folder_.filename().string() + "/tuning.db-journal");
    EXPECT_NE(relative.err.find("belongs to the database"), std::string::npos) << relative.err;
    expect_failure("report --out " + folder_.string(), 2, "this is a folder");
    expect_failure("report --out " + path("none/a.html"), 2, "there is no folder");
    expect_failure("report --out ''", 2, "--out");
    expect_failure("report --db " + path("none.db"), 3, "none.db");
    const Answer listed = jitune("db list --json");
    EXPECT_EQ(json::parse(listed.out)["winners"].size(), 1U) << "the database is whole";
}

TEST_F(CliReport, RefusesAFolderThatCannotBeWritten) {
    if (::geteuid() == 0) {
        GTEST_SKIP() << "root may write everywhere";
    }
    std::filesystem::create_directory(path("closed"));
    ::chmod(path("closed").c_str(), 0500);
    expect_failure("report --out " + path("closed/a.html"), 2, "cannot write in the folder");
}

TEST_F(CliReport, TakesTheFiltersOfTheTable) {
    EXPECT_EQ(jitune("report --out " + path("a.html") + " --kernel reduce --op sum").code, 0);
    EXPECT_NE(contents(path("a.html")).find("<code>--kernel reduce --op sum</code>"),
              std::string::npos);
    expect_failure("report --out " + path("b.html") + " --kernel nosuch", 2, "--kernel");
    const Answer none = jitune("report --out " + path("c.html") + " --op max");
    EXPECT_EQ(none.code, 0);
    EXPECT_NE(none.err.find("no winner matches --op max"), std::string::npos) << none.err;
    EXPECT_TRUE(is_page("c.html"));
}

TEST_F(CliReport, SweepsWriteItAtTheirEnd) {
    const std::string sweep = "sweep reduce --device host --sizes 2^10 --budget 0.1 --report ";
    expect_failure(sweep + "-", 2, "--report -");
    expect_failure(sweep + database(), 2, "--report");
    expect_failure(sweep + path("none/a.html"), 2, "there is no folder");
    expect_failure("sweep reduce --device host --sizes 2^10 --db none --report " + path("a.html"),
                   2, "name one with --db");
    const Answer swept = jitune(sweep + path("a.html"));
    EXPECT_EQ(swept.code, 0) << swept.err;
    EXPECT_NE(swept.out.find("wrote " + path("a.html")), std::string::npos) << swept.out;
    EXPECT_TRUE(is_page("a.html"));
    const json document = jitune_json(sweep + path("b.html"));
    EXPECT_TRUE(document.contains("rows"));
    EXPECT_TRUE(is_page("b.html"));
}

}  // namespace
}  // namespace jitune::internal
