// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/ioctl.h>

#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "cli/app/output.hpp"
#include "cli/app/progress.hpp"
#include "cli/db/record_json.hpp"
#include "cli/formats/table.hpp"
#include "text/units.hpp"
#include "text/view.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal {
namespace {

Json parsed(const Json& document) {
    return Json::parse(json_text(document));
}

TEST(Units, KeepThreeDigitsAcrossUnits) {
    EXPECT_EQ(time_text(7.123), "7.12 ns");
    EXPECT_EQ(time_text(999.4), "999 ns");
    EXPECT_EQ(time_text(999.6), "1.00 us");
    EXPECT_EQ(time_text(12'345'678), "12.3 ms");
    EXPECT_EQ(time_text(9.5e12), "9500 s");
    EXPECT_EQ(time_text(-12'345), "-12.3 us");
    EXPECT_EQ(rate_text(4402.4), "4402");
    EXPECT_EQ(bytes_text(17), "17 bytes");
    EXPECT_EQ(bytes_text(16 * 1024), "16.0 KiB");
}

TEST(Units, SharesAndDaysHaveOneForm) {
    EXPECT_EQ(percent_text(0.9824), "98.2 %");
    EXPECT_EQ(noise_text(0.0125), "1.25 %");
    EXPECT_EQ(ratio_text(1.324), "1.32x");
    EXPECT_EQ(day_text("2026-11-21T16:00:00Z"), "2026-11-21");
    EXPECT_EQ(day_text(""), "");
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

TEST(Units, OneLineIsSafeForATerminal) {
    for (const char* const hidden : {"\u009b", "\u202e", "\u2066", "\u061c", "\xff", "\x9b"}) {
        EXPECT_EQ(one_line(std::string("a") + hidden + "31mb"),
                  "a\xef\xbf\xbd"
                  "31mb");
    }
    EXPECT_EQ(one_line("\x1b]0;title\x07µs, 1 × 2"), "]0;title µs, 1 × 2");
    EXPECT_EQ(one_line("éé é", 3), "éé é");
    EXPECT_EQ(one_line("éé éé", 3), "éé é…");
}

TEST(Table, AlignsAndLeavesNoSpaceAtTheEnd) {
    EXPECT_EQ(Table::text({{"name"}, {"time", Align::right}, {"note"}},
                          {{"a", "1", ""}, {"longer", "12345", "x"}}, 80),
              "name     time  note\n"
              "a           1\n"
              "longer  12345  x\n");
}

TEST(Table, FitsByLeavingOutDetailsThenByCuttingTexts) {
    const std::vector<Column> columns{{"name"}, {"time", Align::right}, detail("more"), {"note"}};
    const std::vector<Table::Cells> rows{{"a name of some length", "12.5 us", "detail", "block=64"},
                                         {"größe größe größe größe", "1 us", "", "x"}};
    EXPECT_EQ(Table::text(columns, rows, 60),
              "name                        time  more    note\n"
              "a name of some length    12.5 us  detail  block=64\n"
              "größe größe größe größe     1 us          x\n");
    EXPECT_EQ(Table::text(columns, rows, 45),
              "name                        time  note\n"
              "a name of some length    12.5 us  block=64\n"
              "größe größe größe größe     1 us  x\n");
    EXPECT_EQ(Table::text(columns, rows, 30),
              "name            time  note\n"
              "a name of …  12.5 us  block=64\n"
              "größe größ…     1 us  x\n");
    EXPECT_EQ(Table::text(columns, rows, kWhole), Table::text(columns, rows, 60));
}

TEST(Table, CutsWhatADatabaseMayHoldAlsoWhereAllIsAskedFor) {
    const std::string text =
        Table::text({{"name"}, {"note"}}, {{std::string(1 << 20, 'x'), "y"}, {"a", "b"}}, kWhole);
    EXPECT_LT(text.size(), 3000U);
    EXPECT_NE(text.find("…  y\n"), std::string::npos);
}

View two_of_three() {
    View view{
        "Times",
        {named("name", text_column("name")), named("ns", number_column("time")), detail("more")}};
    view.add(std::vector{1.0, 2.0, 3.0}, 2, [](double ns) -> View::Row {
        return {"a", ns > 1 ? time_cell(ns) : "?", "x"};
    });
    return view;
}

TEST(View, CountsTheRowsThatItLeavesOut) {
    EXPECT_EQ(two_of_three().rows.size(), 2U);
    EXPECT_EQ(two_of_three().more, 1U);
}

TEST(View, IsATableWithItsNote) {
    View view = two_of_three();
    view.note = "? unknown\n";
    EXPECT_EQ(Table::text(view, 80),
              "name     time  more\n"
              "a           ?  x\n"
              "a     2.00 ns  x\n"
              "? unknown\n");
    view.rows.clear();
    EXPECT_EQ(Table::text(view, 80), "");
}

TEST(View, IsJsonOfTheColumnsThatHaveAName) {
    EXPECT_EQ(rows_json(two_of_three()).dump(), R"([{"name":"a","ns":"?"},{"name":"a","ns":2.0}])");
    EXPECT_EQ(rows_json({}).dump(), "[]");
}

TEST(FittedText, CutsNoCharacterInTwo) {
    EXPECT_EQ(columns_of("größe"), 5U);
    EXPECT_EQ(fitted_begin("größe", 5), "größe");
    EXPECT_EQ(fitted_begin("größe", 4), "grö…");
    EXPECT_EQ(fitted_begin("größe", 1), "…");
    EXPECT_EQ(fitted_begin("größe", 0), "");
    EXPECT_EQ(fitted_ends("größe größe", 9), "grö...öße");
}

TEST(WinnerText, SaysABucketSizeBySize) {
    constexpr std::int64_t kBucket = 33 << 8 | 20;
    EXPECT_EQ(half_octaves_json(kBucket, "rows=1024 columns=92682").dump(),
              R"({"rows":20,"columns":33})");
    EXPECT_EQ(half_octaves_json(0, "n=1").dump(), R"({"n":0})");
}

TEST(WinnerText, GivesTheLastPartOfABucketToAllRemainingSizes) {
    constexpr std::int64_t kBucket = 10 << 24 | 8 << 16 | 6 << 8 | 4;
    EXPECT_EQ(half_octaves_json(kBucket, "a=4 b=8 c=16 d=2 e=16").dump(),
              R"({"a":4,"b":6,"c":8,"d*e":10})");
}

TEST(WinnerText, SaysTheBoundOfARange) {
    EXPECT_EQ(bound_text({}), "");
    EXPECT_EQ(bound_text({"n=1..9", 1.02, 59, false}), "1.02 on 59 sizes");
    EXPECT_EQ(bound_text({"n=1..9", 1.068, 1, true}), "1.07 on 1 size ?");
    EXPECT_EQ(bound_text({"n=1..9", 0, 0, true}), "?");
    EXPECT_EQ(bound_text({"n=1..9", 1, 0, false}), "1.00 not tested");
    EXPECT_EQ(bound_text({"n=1..9", 1000, 2, true}), "unknown on 2 sizes ?");
}

TEST(WinnerText, WinnerJsonHoldsTheRowAndItsBucketSizeBySize) {
    Winner winner;
    winner.sizes = "rows=4 columns=8";
    winner.key.bucket = 6 << 8 | 4;
    winner.reproducibility = "exact";
    EXPECT_EQ(parsed(winner_json(winner))["reproducibility"], "exact");
    EXPECT_EQ(parsed(winner_json(winner))["half_octaves"].dump(), R"({"rows":4,"columns":6})");
    EXPECT_EQ(parsed(winner_json(winner))["key"]["bucket"], 1540);
    EXPECT_EQ(parsed(to_json(Measurement{}))["reproducibility"], "fixed");
}

TEST(WinnerText, NamesTypesInTheOrderInWhichTheyAreRead) {
    EXPECT_EQ(short_types("accumulator=float64 determinism=any element=int8 operation=sum"),
              "int8 sum float64 any");
    EXPECT_EQ(short_types("accumulator=float32 determinism=run_to_run element=float32 "
                          "operation=sum result=float32"),
              "float32 sum run_to_run");
}

TEST(WinnerText, MarksSpeedUpsThatAreDisturbedAndWithholdsThoseThatAreUnknown) {
    EXPECT_EQ(speed_up_text(1.516, Certainty{}), "1.52x");
    EXPECT_EQ(speed_up_text(1.516, {"clocks=steady", 0.01, 1.5, 1.53}), "1.52x ±0.02");
    EXPECT_EQ(speed_up_text(1.516, {"clocks=noisy", 0.01, 1.5, 1.53}), "1.52x ±0.02 ?");
    EXPECT_EQ(speed_up_text(1397, {"clocks=steady", 0.01, 1073, 1721}), "1073.00x to 1721.00x ?");
    Winner winner;
    winner.median_ns = 10;
    EXPECT_EQ(speed_up_text(winner), "") << "the default failed";
    winner.default_median_ns = 1890;
    winner.certainty = {"clocks=steady", 0.01, 2, 190};
    EXPECT_EQ(speed_up_text(winner), "2.00x to 190.00x ?");
}

TEST(WinnerText, SaysTheRangeOfSpeedUps) {
    std::vector<Winner> winners(3);
    for (Winner& winner : winners) {
        winner.median_ns = 10;
    }
    winners[0].default_median_ns = 31;
    winners[1].default_median_ns = 12;
    const std::vector<const Winner*> all{&winners[0], &winners[1], &winners[2]};
    EXPECT_EQ(speed_ups_cell(all).text, "1.20x..3.10x");
    EXPECT_DOUBLE_EQ(speed_ups_cell(all).number, 3.1);
    EXPECT_EQ(speed_ups_cell(std::span(all).first(1)).text, "3.10x") << "one figure";
    EXPECT_EQ(speed_ups_cell(std::span(all).last(1)).text, "") << "its default has no time";
    EXPECT_EQ(speed_ups_of(winners).size(), 2U);
}

TEST(WinnerText, SaysTheMedianOfSeveralSpeedUpsAndTheirRange) {
    EXPECT_EQ(gain_text({}), "");
    EXPECT_EQ(gain_text({1.5}), "1.50x");
    EXPECT_EQ(gain_text({3, 1, 1.4, 1.2}), "1.30x (1.00x to 3.00x)");
    EXPECT_EQ(served_percent(0.9999), "99.9 %");
    EXPECT_EQ(served_percent(0.1 + 0.2 + 0.7), "100.0 %");
}

TEST(WinnerText, SaysTheIntervalOfASpeedUpIfItIsKnown) {
    EXPECT_EQ(speed_up_interval_text({}), "");
    EXPECT_EQ(speed_up_interval_text({"", 0.001, 1.5104, 1.5296}), "99 %: 1.510x to 1.530x");
    Winner winner;
    winner.certainty = {"l2=cold", 0.25, 1.5, 2};
    EXPECT_EQ(parsed(winner_json(winner))["speed_up_high"], 2);
    EXPECT_EQ(parsed(winner_json(winner))["conditions"], "l2=cold");
}

SweepState third_of_four() {
    SweepState state;
    state.done = 2;
    state.problems = 4;
    state.runs = {{"cuda:0", "float32 sum 2^12", {100, 20, 0, {}}, 1}};
    state.spent_s = 8;
    return state;
}

TEST(Progress, EstimatesFromTheRateAndTheProblemsDone) {
    EXPECT_DOUBLE_EQ(seconds_left(third_of_four()), 80.0 / 20 + 4);
    EXPECT_EQ(progress_text(third_of_four()),
              "[3/4] float32 sum 2^12: 20/100 tried, 20/s, 0:08 left");
}

TEST(Progress, NamesACandidateThatIsWaitedFor) {
    SweepState state = third_of_four();
    state.runs[0].tune.wait = {"block=64", 12.4, 60};
    EXPECT_EQ(progress_text(state),
              "[3/4] float32 sum 2^12: 20/100 tried, waiting 12 s (at most 60 s) for block=64");
    state.runs.push_back({"cuda:1", "float32 sum 2^13", {100, 7, 0, {}}, 1});
    EXPECT_NE(
        progress_text(state).find(
            "cuda:0 float32 sum 2^12 20/100 waiting 12 s (at most 60 s) for block=64, cuda:1"),
        std::string::npos)
        << progress_text(state);
}

TEST(Progress, SaysHowFarARangeIs) {
    SweepState state = third_of_four();
    state.budget_s = 2;
    state.runs[0].name = "float32 sum 2^10..2^30";
    state.runs[0].tune.range = {3, 21, 0, 40};
    EXPECT_DOUBLE_EQ(seconds_left(state), 40 + 4);
    EXPECT_EQ(progress_text(state),
              "[3/4] float32 sum 2^10..2^30: searched 3/21 sizes, compared 0, 0:44 left");
    state.runs.push_back({"cuda:1", "float32 max 2^10..2^30", {100, 7, 0, {}}, 1});
    state.runs[1].tune.range = {21, 21, 17, 12};
    EXPECT_EQ(progress_text(state),
              "[2/4] 0:26 left: cuda:0 float32 sum 2^10..2^30 searched 3/21 sizes, compared 0, "
              "cuda:1 float32 max 2^10..2^30 searched 21/21 sizes, compared 17");
}

TEST(Progress, NeverExpectsMoreThanTheBudget) {
    SweepState state = third_of_four();
    state.budget_s = 2;
    EXPECT_DOUBLE_EQ(seconds_left(state), 1 + 4);
    state.runs[0].elapsed_s = 3;
    EXPECT_DOUBLE_EQ(seconds_left(state), 0 + 4);
}

TEST(Progress, DoesNotExpectThatProblemsAreSkipped) {
    SweepState state = third_of_four();
    state.kept = 1;
    EXPECT_DOUBLE_EQ(seconds_left(state), 80.0 / 20 + 8);
}

TEST(Progress, HasAnEstimateBeforeAnythingIsDone) {
    SweepState state;
    state.problems = 3;
    EXPECT_DOUBLE_EQ(seconds_left(state), 0);
    state.runs.resize(1);
    EXPECT_DOUBLE_EQ(seconds_left(state), 0);
}

TEST(Progress, ShowsWhatEachDeviceIsAbout) {
    SweepState state = third_of_four();
    state.problems = 8;
    state.runs.push_back({"cuda:1", "float32 sum 2^13", {100, 40, 0, {}}, 1});
    EXPECT_DOUBLE_EQ(seconds_left(state), (80.0 / 20 + 60.0 / 40 + 4 * 4) / 2);
    EXPECT_EQ(progress_text(state),
              "[2/8] 60/s, 0:11 left: cuda:0 float32 sum 2^12 20/100, "
              "cuda:1 float32 sum 2^13 40/100");
}

TEST(Progress, CountsNoEarlierResultsAsItsOwnSpeed) {
    SweepState state = third_of_four();
    RunState& run = state.runs[0];
    run = {"cuda:0", run.name, {}, 0};
    run.go_on({100, 0, 0, {}}, 0.5);  // waits
    run.go_on({100, 61, 0, 500.0}, 1);
    run.go_on({100, 80, 0, 500.0}, 2);
    EXPECT_EQ(run.known, 60U);
    EXPECT_NE(progress_text(state).find("80/100 tried, 10/s"), std::string::npos)
        << progress_text(state);
    state.done = state.problems = 1;
    EXPECT_DOUBLE_EQ(seconds_left(state), 20.0 / 10);
}

TEST(Progress, FitsAnyTerminal) {
    const std::string whole = progress_text(third_of_four());
    EXPECT_EQ(progress_line(third_of_four(), 20),
              whole.substr(0, 8) + "..." + whole.substr(whole.size() - 8));
    EXPECT_TRUE(progress_line(third_of_four(), 20).ends_with(" left"));
    EXPECT_EQ(progress_line(third_of_four(), 200), whole);
    EXPECT_EQ(progress_line(third_of_four(), 1), "");
    for (std::size_t columns = 1; columns <= whole.size() + 1; ++columns) {
        EXPECT_EQ(progress_line(third_of_four(), columns).size(), columns - 1);
    }
}

TEST(Progress, CutsNoCharacterInTwo) {
    SweepState state = third_of_four();
    state.runs[0].name = "größe größe größe größe";
    EXPECT_EQ(progress_line(state, 18), "[3/4] g...08 left");
    state.runs[0].name = "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4";
    EXPECT_EQ(progress_line(state, 7), "[3/4] ");
    EXPECT_EQ(progress_line(state, 20), "[3/4] \u00e4\u00e4...:08 left");
}

TEST(Progress, AsksTheTerminalForItsWidth) {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal, 0);
    EXPECT_EQ(terminal_columns(terminal), 80U) << "a new terminal has no size";
    const struct winsize size { 24, 42, 0, 0 };
    ASSERT_EQ(::ioctl(terminal, TIOCSWINSZ, &size), 0);
    EXPECT_EQ(terminal_columns(terminal), 42U);
    ::close(terminal);
    ::unsetenv("COLUMNS");
    EXPECT_EQ(terminal_columns(-1), 80U);
    ::setenv("COLUMNS", "63", 1);
    EXPECT_EQ(terminal_columns(-1), 63U);
    ::setenv("COLUMNS", "6 3", 1);
    EXPECT_EQ(terminal_columns(-1), 80U);
    ::unsetenv("COLUMNS");
}

TEST(Json, SpellsWhatIsNoNumber) {
    EXPECT_EQ(json_number(0.1).dump(), "0.1");
    EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()).dump(), "\"NaN\"");
    EXPECT_EQ(json_number(-std::numeric_limits<double>::infinity()).dump(), "\"-Infinity\"");
    EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
}

TEST(Json, ReplacesWhatIsNotUtf8) {
    EXPECT_EQ(json_text({{"text", "tab\t\xff"}}), "{\"text\":\"tab\\t\uFFFD\"}");
}

TEST(Json, UpdatesKeepTheOrderOfKeys) {
    Json document{{"a", 1}, {"b", 2}};
    document.update({{"b", 3}, {"c", 4}});
    EXPECT_EQ(document.dump(), R"({"a":1,"b":3,"c":4})");
}

}  // namespace
}  // namespace jitune::internal
