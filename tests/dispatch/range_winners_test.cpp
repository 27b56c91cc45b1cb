// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/range_winners.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <utility>

#include "fixtures/engine_fixture.hpp"
#include "tuner_db/winners/winner_table.hpp"
#include "tuning/record/record_maker.hpp"

namespace jitune::internal {
namespace {

/// Finds ranges by times that the test says.
class RangeWinners : public EngineFixture, public SizeTuner {
protected:
    /// The time of kFastest, where the default takes 1000 ns.
    static double ns_at(std::int64_t n) { return n < 100 ? 400 : 1400; }

    /// Times what is compared; a search finds kFastest and does not time the default.
    TuneReport times(const Task& at, bool with_default) const {
        const RecordMaker record_maker(at);
        const double ns = ns_at(at.problem.sizes[0]);
        TuneReport report;
        const auto add = [&](const std::string& configuration, double its_ns) {
            report.measurements.push_back(record_maker.verdict(configuration, Verdict::timed, ""));
            report.measurements.back().samples_ns = {its_ns, its_ns, its_ns};
            report.measurements.back().conditions = "l2=cold interleaved";
        };
        add(kFastest, ns);
        if (with_default) {
            add(kFakeDefault, 1000);
        }
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
    TuneReport compare(const Task& at, const std::vector<std::string>& /*compared*/,
                       const SearchPlan& /*plan*/) override {
        return times(at, true);
    }
    bool is_served(std::int64_t n) {
        const Task task{device_, kernel_, fake_sum_problem()};
        const std::vector<Winner> winners =
            range_winners(task, whole_range({{8}, {400}}, 1), {{}, std::chrono::seconds(60)},
                          std::atomic<bool>(false), *this);
        return std::any_of(winners.begin(), winners.end(), [&](const Winner& winner) {
            return covers(boxes_of(winner).value(), std::array{n});
        });
    }

    std::string conditions_ = "l2=cold";
};

TEST_F(RangeWinners, LeavesSizesToTheDefaultWhereItIsFaster) {
    EXPECT_TRUE(is_served(50));
    EXPECT_FALSE(is_served(200));
}

TEST_F(RangeWinners, KeepsRowsThatOtherProcessesDisturbed) {
    conditions_ = "l2=cold cpu=contended";
    EXPECT_TRUE(is_served(50));
    EXPECT_TRUE(is_served(200)) << "a quiet machine is to tell";
}

}  // namespace
}  // namespace jitune::internal
