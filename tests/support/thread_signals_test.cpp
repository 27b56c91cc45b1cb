// SPDX-License-Identifier: Apache-2.0
#include "support/thread_signals.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <functional>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

/// How a child that may not write to files ends: its exit code, or minus the signal.
int end_of(const std::function<int()>& work) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_FSIZE, &none);
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        _exit(work());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int write_to(FILE* file) {
    return ::write(fileno(file), "x", 1) == -1 ? errno : 0;
}

TEST(FileSizeGuard, AWriteBeyondTheLimitFails) {
    FILE* const file = std::tmpfile();
    EXPECT_EQ(end_of([&] {
                  const FileSizeGuard outer;
                  {
                      const FileSizeGuard inner;
                      write_to(file);
                  }
                  return write_to(file);
              }),
              EFBIG);
    std::fclose(file);
}

TEST(FileSizeGuard, LeavesTheSignalAsItWas) {
    FILE* const file = std::tmpfile();
    EXPECT_EQ(end_of([&] {
                  {
                      const FileSizeGuard guard;
                      write_to(file);
                  }
                  return 0;
              }),
              0)
        << "no signal is left behind";
    EXPECT_EQ(end_of([&] {
                  { const FileSizeGuard guard; }
                  return write_to(file);
              }),
              -SIGXFSZ);
    std::fclose(file);
}

}  // namespace
}  // namespace jitune::internal
