// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/usage_report.hpp"

#include <fmt/format.h>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

RecordKey key_of(std::int64_t bucket) {
    return {{"reduce", "element=float32", "cuda", 4, "hash"}, bucket};
}

/// Serves all sizes from `from` to `to`: 100 us at the first, twice as fast as the default.
Winner winner_of(std::int64_t from, std::int64_t to, const std::string& configuration) {
    Winner winner;
    winner.key = key_of(1);
    winner.sizes = fmt::format("n={}", from);
    winner.range.covers = fmt::format("n={}..{}", from, to);
    winner.configuration = configuration;
    winner.median_ns = 100'000;
    winner.default_median_ns = 200'000;
    winner.certainty = {"", 0.01, 1.9, 2.2};
    return winner;
}

CallRecord usage_of(std::int64_t n, std::int64_t calls, const std::string& configuration,
                    const std::string& origin = "stored", const std::string& day = "2026-11-20") {
    return {key_of(2), fmt::format("n={}", n), configuration, origin, "", calls, 1, "", day, day};
}

std::optional<double> unknown(const Winner& /*winner*/, const Sizes& /*sizes*/) {
    return std::nullopt;
}

TEST(UsageReport, GivesEachCallToTheRowThatServesItsSize) {
    const std::vector winners{winner_of(1, 9, "a"), winner_of(10, 99, "b")};
    const std::vector usages{usage_of(5, 10, "a"), usage_of(50, 1000, "b", "tuned", "2026-11-22"),
                             usage_of(60, 2000, "b", "stored", "2026-11-21")};
    const UsageReport report = usage_report(winners, usages, unknown);
    ASSERT_EQ(report.winners.size(), 2U);
    EXPECT_EQ(report.winners[0].winner.configuration, "b") << "saved most";
    EXPECT_EQ(report.winners[0].calls, 3000);
    EXPECT_EQ(report.winners[0].last_at, "2026-11-22");
    EXPECT_EQ(report.winners[1].calls, 10);
    EXPECT_EQ(report.calls, 3010);
    EXPECT_EQ(report.first_at, "2026-11-20");
    EXPECT_EQ(report.last_at, "2026-11-22");
    EXPECT_EQ(report.origins,
              (std::map<std::string, std::int64_t>{{"stored", 2010}, {"tuned", 1000}}));
}

TEST(UsageReport, GivesCallsOfTheDefaultToAWinnerByDefault) {
    std::vector winners{winner_of(1, 9, "a"), winner_of(10, 99, "b")};
    winners[0].range.by_default = true;
    const std::vector usages{usage_of(5, 10, "another default", "rule"),
                             usage_of(50, 1000, "another default", "rule")};
    const UsageReport report = usage_report(winners, usages, unknown);
    EXPECT_EQ(report.winners[0].calls, 10);
    EXPECT_EQ(report.winners[1].calls, 0);
}

TEST(UsageReport, CountsWhatNoWinnerOfTodayHasAnswered) {
    const std::vector winners{winner_of(1, 9, "a")};
    CallRecord other_kernel = usage_of(5, 16, "a");
    other_kernel.key.kernel = "stencil";
    CallRecord of_the_winner_before = usage_of(5, 32, "a");
    of_the_winner_before.winner_at = "2026-11-19T00:00:00Z";
    const std::vector usages{
        usage_of(5, 1, "old"),          usage_of(50, 2, "a"), usage_of(5, 4, "a", "default"),
        usage_of(5, 8, "a", "nearest"), other_kernel,         of_the_winner_before};
    const UsageReport report = usage_report(winners, usages, unknown);
    EXPECT_EQ(report.winners[0].calls, 0);
    EXPECT_EQ(report.winners[0].last_at, "");
    EXPECT_EQ(report.replaced, 1 + 2 + 16 + 32);
    EXPECT_EQ(report.calls, 63);
}

TEST(UsageReport, CountsDefaultsInThePlaceOfAProvisionalWinner) {
    std::vector winners{winner_of(1, 9, "a"), winner_of(10, 19, "b"), winner_of(20, 29, "c"),
                        winner_of(30, 39, "d")};
    for (const std::size_t provisional : {0, 2, 3}) {
        winners[provisional].certainty = {"cpu=contended", 0.01, 0.5, 2};
    }
    winners[0].provenance.created_at = "2026-11-19";
    winners[2].provenance.created_at = "2026-11-21";
    winners[3].range.unsure = true;
    const std::vector usages{
        usage_of(5, 1, "standard", "default"),  usage_of(15, 2, "standard", "default"),
        usage_of(25, 4, "standard", "default"), usage_of(35, 8, "standard", "default"),
        usage_of(5, 16, "standard", "nearest"), usage_of(5, 32, "a", "default")};
    const UsageReport report = usage_report(winners, usages, unknown);
    EXPECT_EQ(report.withheld, 1) << "not of a sure, a younger or an unsure winner";
    EXPECT_EQ(report.origins.at("default"), 1 + 2 + 4 + 8 + 32);
    EXPECT_EQ(report.replaced, 0);
}

TEST(UsageReport, SavesWhatTheWinnerIsFasterThanTheDefault) {
    const std::vector winners{winner_of(1, 9, "a")};
    const std::vector usages{usage_of(1, 1000, "a")};
    SavedTime saved = usage_report(winners, usages, unknown).saved;
    EXPECT_DOUBLE_EQ(saved.seconds, 1000 * 100e-6);
    EXPECT_DOUBLE_EQ(saved.low, 1000 * 90e-6);
    EXPECT_DOUBLE_EQ(saved.high, 1000 * 120e-6);
    const auto ten_times = [](const Winner& /*winner*/, const Sizes& /*sizes*/) {
        return std::optional(1e6);
    };
    saved = usage_report(winners, usages, ten_times).saved;
    EXPECT_DOUBLE_EQ(saved.seconds, 1000 * 1e-3) << "a larger problem saves more";
}

TEST(UsageReport, SavesNothingOverADefaultThatFailed) {
    std::vector winners{winner_of(1, 9, "a")};
    winners[0].default_median_ns = 0;
    EXPECT_EQ(usage_report(winners, std::vector{usage_of(1, 1000, "a")}, unknown).saved.seconds, 0);
}

TEST(UsageReport, HasNoIntervalWhereTheSpeedUpHasNone) {
    std::vector winners{winner_of(1, 9, "a")};
    winners[0].certainty = {};
    const SavedTime saved =
        usage_report(winners, std::vector{usage_of(1, 1000, "a")}, unknown).saved;
    EXPECT_EQ(saved.low, saved.seconds);
    EXPECT_EQ(saved.high, saved.seconds);
}

}  // namespace
}  // namespace jitune::internal
