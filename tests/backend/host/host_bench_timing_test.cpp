// SPDX-License-Identifier: Apache-2.0
// Kernels that sleep, timed by the machine's clock.
#include <chrono>
#include <vector>

#include "fixtures/host_fixture.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

class HostBenchTiming : public HostDeviceTest {
protected:
    std::unique_ptr<Bench> bench_ = device().make_bench();
};

TEST_F(HostBenchTiming, OneTimeOverTheLimitMayBeTheClocksFault) {
    const auto once = program(R"(
        #include <time.h>
        void once(int* calls) {
            const timespec second{1, 0};
            if (++*calls == 3) { nanosleep(&second, nullptr); }
        })",
                              "once");
    int calls = 0;
    const std::vector<Launch> chain(4, launch_with(&calls));
    auto timer = bench_->timer(*once, chain, 1, false);
    EXPECT_TRUE(std::holds_alternative<double>(timer->sample(milliseconds(900))));
    calls = 0;
    const auto again = timer->sample(milliseconds(900));
    ASSERT_TRUE(std::holds_alternative<LaunchFailure>(again));
    EXPECT_TRUE(std::get<LaunchFailure>(again).timed_out);
}

TEST_F(HostBenchTiming, TimesNoneOfTheFirstLaunches) {
    const auto sleep = program(R"(
        #include <time.h>
        void sleep_at_first(int* calls) {
            const timespec time{0, 400'000'000};
            if (++*calls <= 2) { nanosleep(&time, nullptr); }
        })",
                               "sleep_at_first");
    int calls = 0;
    const std::vector<Launch> chain(4, launch_with(&calls));
    const auto timer = bench_->timer(*sleep, chain, 2, true);
    EXPECT_LT(std::get<double>(timer->sample(milliseconds(60'000))), 100'000'000)
        << "one sleep is 200 ms a launch";
    EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace jitune::internal
