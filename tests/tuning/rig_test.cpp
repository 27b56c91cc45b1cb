// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/rig.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fake/fake_device.hpp"
#include "fixtures/expect_error.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {
namespace {

using Bytes = std::vector<std::byte>;

constexpr const char* kText = R"toml(/* jitune template
kernel = "count"
backend = "cuda"
sizes = ["n"]

[parameters]
block = { values = [32], default = 32 }

[arguments]
numbers = { access = "out", type = "int32", count = "n" }
n = { access = "scalar", type = "uint64", value = "n" }
tickets = { access = "zeroed", type = "uint32", count = "n" }

[[launch]]
entry = "fake::count"
template = ["block"]
arguments = ["numbers", "n", "tickets"]
block = "block"
grid = "ceil_div(n, block)"
*/
)toml";

constexpr std::int64_t kSmall = 1000;
constexpr std::int64_t kLargeProblem = 1'000'003;  // 4 MB of outputs, and of tickets

std::int32_t* numbers(const Launch& launch) {
    return reinterpret_cast<std::int32_t*>(launch.cells[0]);
}

std::uint32_t* tickets(const Launch& launch) {
    return reinterpret_cast<std::uint32_t*>(launch.cells[2]);
}

/// Counts from 0.
void right_count(const Launch& launch) {
    for (std::size_t i = 0; i < launch.cells[1]; ++i) {
        numbers(launch)[i] = static_cast<std::int32_t>(i);
    }
}

class CountWorkload : public Workload {
public:
    [[nodiscard]] std::vector<Case> checks(const Problem&) const override {
        return {make_case(kSmall)};
    }
    [[nodiscard]] Case timed(const Problem& problem) const override {
        return make_case(problem.sizes[0]);
    }

private:
    static Case make_case(std::int64_t n) {
        Case one;
        one.name = fmt::format("n={}", n);
        one.sizes = {n};
        one.arguments = {CaseArgument::output(static_cast<std::size_t>(n) * sizeof(std::int32_t))};
        one.judge = [](std::span<const Bytes> outputs) -> std::string {
            for (std::size_t i = 0; i < outputs[0].size() / sizeof(std::int32_t); ++i) {
                std::int32_t got = 0;
                std::memcpy(&got, outputs[0].data() + i * sizeof got, sizeof got);
                if (got != static_cast<std::int32_t>(i)) {
                    return fmt::format("got {}, expected {}", got, i);
                }
            }
            return {};
        };
        return one;
    }
};

class RigTest : public testing::Test {
protected:
    RigTest() { device_.kernel = right_count; }

    /// The reason of a failure; empty where the candidate is right.
    std::string check(const std::function<void(const Launch&)>& kernel, bool repeatable = true) {
        const std::string expression = fmt::format("fake::count<{}>", ++candidates_);
        device_.on(expression).run = kernel;
        const auto image = std::make_shared<std::string>("[" + expression + "]");
        const auto program = device_.load({"cubin", image, {expression}});
        const std::size_t before = device_.downloaded_bytes();
        const auto failure = rig_.check(*program, rule_, repeatable);
        downloaded_ = device_.downloaded_bytes() - before;
        return failure ? failure->reason : "";
    }

    FakeDevice device_;
    KernelTemplate kernel_{{"count.cu", kText, {}}};
    Problem problem_{"count", {}, {kLargeProblem}, 4};
    LaunchRule rule_ =
        kernel_.launch_rule(problem_, device_.info(),
                            Configuration::parse("block=32", kernel_.front_matter().parameters));
    Rig rig_{device_, CountWorkload(), problem_, false, Log(LogLevel::off)};
    int candidates_ = 0;
    std::size_t downloaded_ = 0;  ///< by the last check
};

TEST_F(RigTest, DownloadsLargeOutputsOfTheFirstCandidateOnly) {
    EXPECT_EQ(check(right_count), "");
    EXPECT_GT(downloaded_, kLargeProblem * sizeof(std::int32_t));
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(check(right_count), "");
        EXPECT_LT(downloaded_, 2 * kSmall * sizeof(std::int32_t));
    }
}

TEST_F(RigTest, JudgesLaterCandidatesLikeTheFirst) {
    ASSERT_EQ(check(right_count), "");
    EXPECT_EQ(check([](const Launch& launch) {
                  right_count(launch);
                  if (launch.cells[1] == kLargeProblem) {
                      numbers(launch)[kLargeProblem - 1] = -5;
                  }
              }),
              "n=1000003: got -5, expected 1000002");
    EXPECT_EQ(check([](const Launch& launch) {
                  right_count(launch);
                  if (launch.cells[1] == kLargeProblem) {
                      numbers(launch)[kLargeProblem] = 0;
                  }
              }),
              "n=1000003: wrote behind the end of its output");
    EXPECT_EQ(check([runs = 0](const Launch& launch) mutable {
                  right_count(launch);
                  runs += launch.cells[1] == kLargeProblem ? 1 : 0;
                  numbers(launch)[0] = runs == 2 ? 1 : 0;
              }),
              "n=1000003: gives different bits from run to run");
    EXPECT_EQ(check([](const Launch&) {}), "n=1000: got -1515870811, expected 0");
    EXPECT_EQ(check(right_count), "");
}

TEST_F(RigTest, TakesALaunchForLateOnlyIfItIsLateTwice) {
    int runs = 0;
    int late = 1;
    device_.fails_in_run = [&]() -> std::optional<LaunchFailure> {
        return ++runs <= late ? std::optional(LaunchFailure{true, false, "too slow"})
                              : std::nullopt;
    };
    EXPECT_EQ(check(right_count), "") << "the clock may have jumped";
    runs = 0;
    late = 2;
    EXPECT_EQ(check(right_count), "n=1000: too slow");
}

TEST_F(RigTest, SaysWhatACandidateHasTakenAlong) {
    const Configuration configuration =
        Configuration::parse("block=32", kernel_.front_matter().parameters);
    const TrialFailure failure{Verdict::launch_failed, "illegal address", true};
    expect_error(ErrorKind::device, "took the device down: illegal address. Restart the process",
                 [&] { refuse_lost_device(failure, device_.info(), configuration); });
    const FakeDevice host("host");
    expect_error(ErrorKind::device, "harmed the process it ran in: illegal address. Go on in a new",
                 [&] { refuse_lost_device(failure, host.info(), configuration); });
}

TEST_F(RigTest, NoticesATicketLeftAnywhereInWorkMemory) {
    for (const std::int64_t place :
         {std::int64_t{0}, std::int64_t{63}, std::int64_t{64}, kSmall, kLargeProblem - 1}) {
        ASSERT_EQ(check(right_count), "");
        EXPECT_EQ(check([place](const Launch& launch) {
                      right_count(launch);
                      if (launch.cells[1] == kLargeProblem) {
                          tickets(launch)[place] = 1;
                      }
                  }),
                  "left its zeroed work memory not zero")
            << place;
    }
    EXPECT_EQ(check([](const Launch& launch) {
                  right_count(launch);
                  std::memset(tickets(launch), 1, launch.cells[1] * sizeof(std::uint32_t));
              }),
              "left its zeroed work memory not zero");
    EXPECT_EQ(check(right_count), "") << "it was not cleaned up";
}

/// The launches of the samples of one small problem, which take `ns` each.
class RigTimingTest : public RigTest {
protected:
    /// How many launches of one sample take each place of work memory, in ascending order.
    std::vector<int> launches_by_place(double ns) {
        FakeBehaviour& behaviour = device_.on("fake::count<0>");
        behaviour.ns = ns;
        std::map<const std::uint32_t*, int> places;
        behaviour.run = [&](const Launch& launch) {
            right_count(launch);
            ++places[tickets(launch)];
        };
        const auto image = std::make_shared<std::string>("[fake::count<0>]");
        const auto program = device_.load({"cubin", image, {"fake::count<0>"}});
        const auto timer = small_rig_.timer(*program, rule_);
        places.clear();  // of the launches that told how long one takes
        EXPECT_EQ(std::get<double>(Rig::sample(*std::get<std::unique_ptr<Timer>>(timer))), ns);
        std::vector<int> launches;
        for (const auto& [place, its] : places) {
            launches.push_back(its);
        }
        std::sort(launches.begin(), launches.end());
        return launches;
    }

    Problem small_{"count", {}, {kSmall}, 4};
    Rig small_rig_{device_, CountWorkload(), small_, false, Log(LogLevel::off)};
};

TEST_F(RigTimingTest, ShortLaunchesTakePlacesOfWorkMemoryInTurn) {
    EXPECT_EQ(launches_by_place(2813), std::vector<int>(8, 1 + 64 / 8)) << "64 are timed";
    EXPECT_EQ(device_.untimed_launches, 8U);
}

TEST_F(RigTimingTest, LaunchesOfSomeMicrosecondsTakeFewerPlaces) {
    EXPECT_EQ(launches_by_place(20'000), (std::vector<int>{1 + 4, 1 + 5}));
    EXPECT_EQ(device_.untimed_launches, 2U);
}

TEST_F(RigTimingTest, ALongLaunchIsASampleByItself) {
    EXPECT_EQ(launches_by_place(2e6), (std::vector<int>{1 + 1}));
    EXPECT_EQ(small_rig_.conditions().chain, 1U);
}

}  // namespace
}  // namespace jitune::internal
