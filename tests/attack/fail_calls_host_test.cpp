// SPDX-License-Identifier: Apache-2.0
// Programs of which one call fails: each ends by itself, and says why or answers.

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

constexpr long kNone = 0;

class FailCalls : public testing::Test {
protected:
    using Command = std::vector<std::string>;

    void SetUp() override {
#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE >= 13
        GTEST_SKIP() << "with the runtime of GCC 13, a process without any memory still ends by "
                        "signal 6 or 11";
#endif
        EXPECT_EQ(run({JITUNE_STORED_CALL, database_}), 0) << "stores the winner";
    }

    /// Runs a command whose malloc fails at call `at`, and from then on if `forever`. Returns its
    /// exit code, or minus the signal that ended it.
    int run(Command command, long at = kNone, bool forever = false) const {
        const pid_t child = fork();
        if (child == 0) {
            setenv("LD_PRELOAD", JITUNE_FAIL_CALLS, 1);
            setenv("FAIL_CALL", "malloc", 1);
            setenv("FAIL_AT", std::to_string(at).c_str(), 1);
            setenv("FAIL_COUNT", count_.c_str(), 1);
            if (forever) {
                setenv("FAIL_FOREVER", "1", 1);
            }
            const int nowhere = open("/dev/null", O_WRONLY);
            dup2(nowhere, STDOUT_FILENO);
            dup2(nowhere, STDERR_FILENO);
            alarm(60);  // a program that waits without end is ended by SIGALRM
            std::vector<char*> arguments;
            for (std::string& argument : command) {
                arguments.push_back(argument.data());
            }
            arguments.push_back(nullptr);
            execv(arguments[0], arguments.data());
            _exit(127);
        }
        int status = -1;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

    /// How often a command calls malloc.
    [[nodiscard]] long calls_of(const Command& command) const {
        EXPECT_EQ(run(command), 0);
        long calls = 0;
        std::ifstream(count_) >> calls;
        return calls;
    }

    /// Fails each of the first calls, and expects one of the exit codes. Of later calls some that
    /// belong to libraries still end the process now and then.
    void expect_ends(const Command& command, const std::set<int>& accepted) const {
        constexpr long kFirst = 100;
        ASSERT_GT(calls_of(command), kFirst);
        for (long at = 1; at <= kFirst; ++at) {
            for (const bool forever : {false, true}) {
                const int code = run(command, at, forever);
                EXPECT_TRUE(accepted.contains(code))
                    << command[0] << " ends with " << code << " where malloc fails at call " << at
                    << (forever ? " and from then on" : "");
            }
        }
        EXPECT_EQ(run(command), 0) << "nothing is damaged";
    }

    TempDir dir_;
    std::string database_ = dir_.path() / "tuning.db";
    std::string count_ = dir_.path() / "count";
};

TEST_F(FailCalls, AnAppGetsAnErrorOrAnAnswerWhereMallocFails) {
    expect_ends({JITUNE_STORED_CALL, database_}, {0, 3});
}

TEST_F(FailCalls, TheCommandListsDevicesOrSaysWhatIsMissingWhereMallocFails) {
    expect_ends({JITUNE_COMMAND, "devices"}, {0, 4});
}

TEST_F(FailCalls, TheCommandListsADatabaseOrSaysWhatIsMissingWhereMallocFails) {
    expect_ends({JITUNE_COMMAND, "db", "list", "--db", database_}, {0, 3, 4});
}

}  // namespace
}  // namespace jitune::internal
