// SPDX-License-Identifier: Apache-2.0
#include "support/process_identity.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

std::string replaced(std::string text, const std::string& name, const std::string& value) {
    const std::size_t begin = text.find(name + "=") + name.size() + 1;
    return text.replace(begin, std::min(text.find(' ', begin), text.size()) - begin, value);
}

TEST(ProcessIdentity, IsOneLineThatStaysTheSame) {
    EXPECT_EQ(process_identity(), process_identity());
    EXPECT_EQ(process_identity().find('\n'), std::string::npos);
    EXPECT_NE(process_identity().find(" pid=" + std::to_string(getpid()) + " "), std::string::npos);
}

TEST(ProcessIdentity, OfARunningProcessHasNotEnded) {
    EXPECT_FALSE(has_ended(process_identity()));
    EXPECT_FALSE(has_ended(process_identity() + " lease=3"));
}

TEST(ProcessIdentity, OfAProcessThatWasWaitedForHasEnded) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const std::string identity = process_identity();
        _exit(write(pipe_ends[1], identity.data(), identity.size()) > 0 ? 0 : 1);
    }
    char buffer[512];
    const ssize_t size = read(pipe_ends[0], buffer, sizeof buffer);
    ASSERT_GT(size, 0);
    const std::string identity(buffer, static_cast<std::size_t>(size));
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(has_ended(identity)) << identity;
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

TEST(ProcessIdentity, HasEndedIfAnotherProcessHasItsNumberNow) {
    EXPECT_TRUE(has_ended(replaced(process_identity(), "start", "1")));
}

TEST(ProcessIdentity, OfAnotherMachineOrContainerIsNotJudged) {
    const std::string gone = replaced(process_identity(), "start", "1");
    EXPECT_FALSE(has_ended(replaced(gone, "host", "elsewhere")));
    EXPECT_FALSE(has_ended(replaced(gone, "boot", "another")));
    EXPECT_FALSE(has_ended(replaced(gone, "pids", "1")));
}

TEST(ProcessIdentity, OfAnyOtherTextIsNotJudged) {
    for (const char* text : {"", "pid=1", "somebody", "host= boot= pids= pid=99999999 start="}) {
        EXPECT_FALSE(has_ended(text)) << text;
    }
    EXPECT_FALSE(has_ended(replaced(process_identity(), "pid", "-1")));
    EXPECT_FALSE(has_ended(replaced(process_identity(), "pid", "9999999999999999999")));
}

}  // namespace
}  // namespace jitune::internal
