// SPDX-License-Identifier: Apache-2.0
// Sweeps whose clocks stand still or jump: each ends by itself or when asked once.

#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

constexpr int kInterrupted = 130;
constexpr int kUnavailable = 4;

class BentClock : public CliFixture {
protected:
    /// Sweeps with bent clocks; `variables` are those of bend_clock.cpp. A sweep without end is
    /// killed.
    [[nodiscard]] Answer sweep(const std::string& variables, const std::string& options,
                               const std::string& meanwhile = "") const {
        return shell(
            fmt::format("timeout --foreground -s KILL 60 env LD_PRELOAD='{}' {} \"$jitune\" sweep "
                        "reduce --device host "
                        "--types int32 --ops sum --sizes 4096 {} &\n{}\nwait $!",
                        JITUNE_BEND_CLOCK, variables, options, meanwhile));
    }

    /// The same, and asks it to stop once its first candidate is announced.
    [[nodiscard]] Answer sweep_and_stop(const std::string& variables) const {
        return sweep(variables, "--budget 3600",
                     "while ! ls \"$folder\"/tuning.db-sweep-* >/dev/null 2>&1 && kill -0 $!; do "
                     "sleep 0.02; done\nkill -TERM $!");
    }

    [[nodiscard]] std::size_t stored_winners() const {
        return jitune_json("db list").at("winners").size();
    }
};

TEST_F(BentClock, ASweepWhoseClocksStandStillStopsWhenAsked) {
    const Answer answer = sweep_and_stop("CLOCK_MODE=stand CLOCK_AT=0");
    EXPECT_EQ(answer.code, kInterrupted) << answer.out << answer.err;
}

TEST_F(BentClock, ASweepStopsWhenAskedWhoseWorkerAloneHasARightClock) {
    const Answer answer = sweep_and_stop("CLOCK_MODE=stand CLOCK_AT=0 CLOCK_ALONE=1");
    EXPECT_EQ(answer.code, kInterrupted) << answer.out << answer.err;
    EXPECT_EQ(stored_winners(), 1U);
}

TEST_F(BentClock, ASweepWhoseClocksJumpStopsWhenAskedAndKeepsWhatItHas) {
    const Answer answer = sweep_and_stop("CLOCK_MODE=back CLOCK_AT=40");
    EXPECT_EQ(answer.code, kInterrupted) << answer.out << answer.err;
    EXPECT_EQ(stored_winners(), 1U);
}

TEST_F(BentClock, ASweepWhoseClocksJumpForwardBlamesNoCandidate) {
    for (const int at : {40, 48, 52, 104}) {
        std::filesystem::remove(path("tuning.db"));
        const Answer answer = sweep(fmt::format("CLOCK_MODE=forward CLOCK_AT={}", at),
                                    "--evaluations 2 --budget 0 --log info");
        EXPECT_EQ(answer.code, 0) << at << answer.out << answer.err;
        EXPECT_EQ(stored_winners(), 1U) << at;
        EXPECT_EQ(answer.err.find("timed_out"), std::string::npos) << at << answer.err;
    }
}

TEST_F(BentClock, ASweepWhoseClocksStandStillEndsAndSaysWhy) {
    for (const char* isolation : {"", "--no-isolation"}) {
        const Answer answer = sweep("CLOCK_MODE=stand CLOCK_AT=0", isolation);
        EXPECT_EQ(answer.code, kUnavailable) << isolation << answer.err;
        EXPECT_NE(answer.out.find("the monotonic clock of this machine stands still"),
                  std::string::npos)
            << isolation << answer.out;
    }
}

}  // namespace
}  // namespace jitune::internal
