#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "cli/units.hpp"

namespace jitune {
namespace {

TEST(Units, KeepThreeDigitsAcrossUnits) {
    EXPECT_EQ(time_text(7.123), "7.12 ns");
    EXPECT_EQ(time_text(999.4), "999 ns");
    EXPECT_EQ(time_text(999.6), "1.00 us");
    EXPECT_EQ(time_text(12'345'678), "12.3 ms");
    EXPECT_EQ(time_text(9.5e12), "9500 s");
    EXPECT_EQ(rate_text(4402.4), "4402");
    EXPECT_EQ(bytes_text(17), "17 bytes");
    EXPECT_EQ(bytes_text(16 * 1024), "16.0 KiB");
}

TEST(Units, ClocksCarryIntoHours) {
    EXPECT_EQ(clock_text(59.6), "1:00");
    EXPECT_EQ(clock_text(7265), "2:01:05");
}

TEST(Units, OneLineHoldsNoLineBreak) {
    EXPECT_EQ(one_line("a:\n  b\t\tc\r\n"), "a: b c");
    EXPECT_EQ(one_line("\x1b[31mred"), "[31mred");
    EXPECT_EQ(one_line("\n"), "");
}

TEST(Table, AlignsAndLeavesNoSpaceAtTheEnd) {
    EXPECT_EQ(Table::text({{"name"}, {"time", Align::right}, {"note"}},
                          {{"a", "1", ""}, {"longer", "12345", "x"}}),
              "name     time  note\n"
              "a           1\n"
              "longer  12345  x\n");
}

SweepState third_of_four() {
    SweepState state;
    state.problem = 2;
    state.problems = 4;
    state.name = "float32 sum 2^12";
    state.tune.space = 100;
    state.tune.evaluated = 20;
    state.elapsed_s = 1;
    state.finished_s = 8;
    return state;
}

TEST(Progress, EstimatesFromTheRateAndTheProblemsDone) {
    EXPECT_DOUBLE_EQ(seconds_left(third_of_four()), 80.0 / 20 + 4);
    EXPECT_EQ(progress_text(third_of_four()),
              "[3/4] float32 sum 2^12: 20/100 tried, 20/s, 0:08 left");
}

TEST(Progress, NeverExpectsMoreThanTheBudget) {
    SweepState state = third_of_four();
    state.budget_s = 2;
    EXPECT_DOUBLE_EQ(seconds_left(state), 1 + 4);
    state.elapsed_s = 3;
    EXPECT_DOUBLE_EQ(seconds_left(state), 0 + 4);
}

TEST(Progress, HasAnEstimateBeforeAnythingIsDone) {
    SweepState state;
    state.problems = 3;
    EXPECT_DOUBLE_EQ(seconds_left(state), 0);
}

TEST(Json, SpellsWhatIsNoNumber) {
    EXPECT_EQ(json_number(0.1).dump(), "0.1");
    EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()).dump(), "\"NaN\"");
    EXPECT_EQ(json_number(-std::numeric_limits<double>::infinity()).dump(), "\"-Infinity\"");
    EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
}

}  // namespace
}  // namespace jitune
