// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/range_winners.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "fixtures/engine_fixture.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"
#include "tuning/record/record_maker.hpp"

namespace jitune::internal {
namespace {

/// Finds ranges by times that the test says.
class RangeWinners : public EngineFixture, public SizeTuner {
protected:
    /// The time of kFastest, where the default takes 1000 ns.
    static double ns_at(std::int64_t n) { return n < 100 ? 400 : 1400; }

    /// Times what is compared; a search finds kFastest, then kSlower, and does not time the
    /// default.
    TuneReport times(const Task& at, bool with_default) const {
        const RecordMaker record_maker(at);
        const double ns = ns_at(at.problem.sizes[0]);
        TuneReport report;
        const auto add = [&](const std::string& configuration, double its_ns) {
            report.measurements.push_back(record_maker.verdict(configuration, Verdict::timed, ""));
            report.measurements.back().samples_ns = {its_ns, its_ns, its_ns};
            report.measurements.back().conditions = "l2=cold interleaved" + disturbed_;
        };
        add(kFastest, ns);
        add(with_default ? kFakeDefault : kSlower, with_default ? 1000 : 2 * ns);
        report.winner.key = at.key();
        report.winner.sizes = at.sizes();
        report.winner.configuration = kFastest;
        report.winner.median_ns = ns;
        report.winner.default_median_ns = 1000;
        report.winner.certainty = {conditions_, 0.01, 1000 / ns - 0.01, 1000 / ns + 0.01};
        return report;
    }
    TuneReport search(const Task& at, const SearchPlan& /*plan*/) override {
        return times(at, false);
    }
    TuneReport compare(const Task& at, const std::vector<std::string>& compared,
                       const SearchPlan& /*plan*/) override {
        names_.insert(compared.begin(), compared.end());
        TuneReport report = times(at, true);
        const int again = compared_[at.problem.sizes]++;  // the first is for the search
        if (again >= 1 && again <= disturbed_rows_) {
            report.winner.certainty.conditions = kContended;
        }
        return report;
    }
    std::vector<Winner> winners() {
        const Task task{device_, kernel_, fake_sum_problem()};
        return range_winners(task, whole_range("fake", {{8}, {400}}, 1),
                             {{}, std::chrono::seconds(60)}, std::atomic<bool>(false), *this);
    }
    bool is_served(std::int64_t n) {
        const std::vector<Winner> winners = this->winners();
        return std::any_of(winners.begin(), winners.end(), [&](const Winner& winner) {
            return covers(boxes_of(winner).value(), std::array{n});
        });
    }

    static constexpr const char* kContended = "l2=cold cpu=contended";
    std::string conditions_ = "l2=cold";  ///< of winners
    std::string disturbed_;               ///< " cpu=contended": searches and comparisons are
    int disturbed_rows_ = 0;              ///< so many times of each row are disturbed
    std::map<Sizes, int> compared_;
    std::set<std::string> names_;  ///< that were compared
    static constexpr const char* kSlower = "block=64 items=1";
};

TEST(WholeRange, ComparesSegmentsByTheirElements) {
    const SizeBox domain{{16, 256}, {1 << 16, 1 << 28}};
    EXPECT_TRUE(whole_range("reduce_segments", domain, 1).may_compare(domain.to));
    EXPECT_FALSE(whole_range("reduce_rows", domain, 1).may_compare(domain.to));
    EXPECT_GT(whole_range("reduce_segments", domain, 1).anchors.size(),
              whole_range("reduce_rows", domain, 1).anchors.size());
}

TEST_F(RangeWinners, LeavesSizesToTheDefaultWhereItIsFaster) {
    EXPECT_TRUE(is_served(50));
    EXPECT_FALSE(is_served(200));
}

TEST_F(RangeWinners, KeepsRowsThatOtherProcessesDisturbed) {
    conditions_ = kContended;
    EXPECT_TRUE(is_served(50));
    EXPECT_TRUE(is_served(200)) << "a quiet machine is to tell";
}

TEST_F(RangeWinners, DisturbedComparisonsMakeNothingSure) {
    disturbed_ = " cpu=contended";
    const std::vector<Winner> all = winners();
    EXPECT_FALSE(all.empty()) << "it answers as the nearest";
    EXPECT_TRUE(std::all_of(all.begin(), all.end(),
                            [](const Winner& winner) { return winner.range.unsure; }));
}

TEST_F(RangeWinners, DisturbedTimesOfASearchLeaveNoFinalistOut) {
    winners();
    EXPECT_FALSE(names_.contains(kSlower)) << "far from the best";
    disturbed_ = " cpu=contended";
    winners();
    EXPECT_TRUE(names_.contains(kSlower));
}

TEST_F(RangeWinners, TimesARowAgainThatOtherProcessesDisturbed) {
    const auto has_marked = [&](int disturbed_rows) {
        compared_.clear();
        disturbed_rows_ = disturbed_rows;
        const std::vector<Winner> all = winners();
        return std::any_of(all.begin(), all.end(), [](const Winner& winner) {
            return !winner.range.unsure && is_provisional(winner.certainty);
        });
    };
    EXPECT_FALSE(has_marked(2));
    EXPECT_TRUE(has_marked(100)) << "it ends";
}

}  // namespace
}  // namespace jitune::internal
