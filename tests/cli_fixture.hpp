#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

namespace jitune {

using nlohmann::json;

struct Answer {
    int code = -1;
    std::string out;
    std::string err;
};

inline std::string contents(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

inline bool is_one_line(const std::string& text) {
    return text.starts_with("jitune: ") && text.ends_with('\n') &&
           std::count(text.begin(), text.end(), '\n') == 1;
}

/// Runs the jitune command with a database, a home and an environment of its own.
class CliFixture : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "jitune-cli-XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

    /// `script` with $jitune as the command, and $folder.
    [[nodiscard]] Answer shell(const std::string& script) const {
        std::ofstream(folder_ / "script") << fmt::format("jitune='{}'\nfolder='{}'\n{}\n",
                                                         JITUNE_COMMAND, folder_.string(), script);
        const std::string command = fmt::format(
            "env -u JITUNE_TUNE -u JITUNE_BUDGET -u JITUNE_LOG -u XDG_CACHE_HOME "
            "HOME='{0}' JITUNE_DB='{0}/tuning.db' sh '{0}/script' "
            ">'{0}/out' 2>'{0}/err' </dev/null",
            folder_.string());
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder_ / "out"),
                contents(folder_ / "err")};
    }

    [[nodiscard]] Answer jitune(const std::string& arguments) const {
        return shell("exec \"$jitune\" " + arguments);
    }

    [[nodiscard]] json jitune_json(const std::string& arguments) const {
        const Answer answer = jitune(arguments + " --json");
        EXPECT_EQ(answer.code, 0) << answer.err;
        return json::parse(answer.out);
    }

    void expect_failure(const std::string& arguments, int code, const std::string& reason) const {
        const Answer answer = jitune(arguments);
        EXPECT_EQ(answer.code, code) << arguments << "\n" << answer.err;
        EXPECT_EQ(answer.out, "") << arguments;
        EXPECT_TRUE(is_one_line(answer.err)) << arguments << "\n" << answer.err;
        EXPECT_NE(answer.err.find(reason), std::string::npos) << arguments << "\n" << answer.err;
    }

    std::filesystem::path folder_;
};

}  // namespace jitune
