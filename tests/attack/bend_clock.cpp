// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program, this bends its clocks, as the environment says:
//
//   CLOCK_MODE   stand: they stand still; forward, back: they jump by a year
//   CLOCK_AT     after so many readings of a process
//   CLOCK_ALONE  if set: programs that the process starts are left alone
//
// Clocks of used processor time are right.

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

constexpr time_t kYear = time_t{365} * 24 * 3600;

enum class Mode { stand, forward, back };

Mode mode = Mode::stand;
long at = 0;
std::atomic<long> readings{0};
timespec stood[CLOCK_MONOTONIC + 1];  // where the clocks stand still

// Static objects of the program are made after this.
__attribute__((constructor(101))) void start() {
    const char* const name = getenv("CLOCK_MODE");
    const char* const count = getenv("CLOCK_AT");
    if (name == nullptr || count == nullptr) {
        _exit(99);
    }
    mode = strcmp(name, "forward") == 0 ? Mode::forward
           : strcmp(name, "back") == 0  ? Mode::back
                                        : Mode::stand;
    at = strtol(count, nullptr, 10);
    if (getenv("CLOCK_ALONE") != nullptr) {
        unsetenv("LD_PRELOAD");
    }
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &stood[CLOCK_REALTIME]);
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &stood[CLOCK_MONOTONIC]);
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) {
    const long code = syscall(SYS_clock_gettime, clock, time);
    if (code != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || ++readings <= at) {
        return static_cast<int>(code);
    }
    if (mode == Mode::stand) {
        *time = stood[clock];
    } else {
        time->tv_sec += mode == Mode::forward ? kYear : -kYear;
    }
    return 0;
}
