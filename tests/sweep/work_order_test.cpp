// SPDX-License-Identifier: Apache-2.0
#include "sweep/work_order.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

WorkItem item_of(const std::string& kernel, std::int64_t n, std::int64_t calls,
                 const std::string& origin = "default") {
    CallRecord miss;
    miss.key = {{kernel, "element=float32", "gpu a", 4, "hash"}, n};
    miss.sizes = fmt::format("n={}", n);
    miss.origin = origin;
    miss.calls = calls;
    return {{miss}};
}

Winner winner_of(const WorkItem& item, double default_ns, double ns) {
    Winner winner;
    winner.key = item.misses.front().key;
    winner.sizes = item.misses.front().sizes;
    winner.default_median_ns = default_ns;
    winner.median_ns = ns;
    return winner;
}

/// The items of the steps with this effort, in their order.
std::vector<std::size_t> steps_of(const WorkOrder& order, Effort effort) {
    std::vector<std::size_t> items;
    for (const WorkStep& step : order.steps()) {
        if (step.effort == effort) {
            items.push_back(step.item);
        }
    }
    return items;
}

TEST(WorkOrder, BeginsWithWhatSavesMostTimeForASecondOfTuning) {
    const WorkOrder order({item_of("a", 1000, 10), item_of("a", 1 << 30, 10),
                           item_of("a", 1 << 20, 10'000), item_of("b", 1000, 20)},
                          {});
    EXPECT_EQ(steps_of(order, Effort::brief), (std::vector<std::size_t>{2, 1, 3, 0}));
    EXPECT_TRUE(steps_of(order, Effort::full).empty()) << "before there was a brief one";
}

TEST(WorkOrder, DoesNotBeginWithLargeArraysThatTakeLongToTune) {
    const std::int64_t huge = std::int64_t{1} << 33;
    const WorkOrder order({item_of("a", huge, 3), item_of("b", 1 << 20, 1000)}, {});
    EXPECT_EQ(order.steps().front().item, 1U);
    EXPECT_GT(order.steps().back().tune_s, 10 * order.steps().front().tune_s);
}

TEST(WorkOrder, CountsSegmentsByTheirElements) {
    WorkItem segments = item_of("reduce_segments", 1 << 26, 10);
    segments.misses.front().sizes = "segments=1048576 n=67108864";
    const WorkOrder order({segments, item_of("reduce", 1 << 26, 10)}, {});
    EXPECT_DOUBLE_EQ(order.steps().front().tune_s, order.steps().back().tune_s);
}

TEST(WorkOrder, LearnsFromWhatWasTuned) {
    const std::vector<WorkItem> items{item_of("a", 1 << 24, 100), item_of("a", 1 << 22, 100),
                                      item_of("b", 1 << 20, 100)};
    WorkOrder order(items, {});
    EXPECT_EQ(steps_of(order, Effort::brief), (std::vector<std::size_t>{0, 1, 2}));
    order.done(0, Effort::brief, std::vector{winner_of(items[0], 40'000, 40'000)}, 1);
    EXPECT_EQ(steps_of(order, Effort::brief), (std::vector<std::size_t>{2, 1}))
        << "winners of a gain nothing";
    EXPECT_EQ(order.steps().back().effort, Effort::full);
}

TEST(WorkOrder, LearnsHowLongTuningsTake) {
    const std::vector<WorkItem> items{item_of("a", 1 << 20, 100), item_of("b", 1 << 20, 90)};
    WorkOrder order(items, {});
    const double before = order.steps().back().tune_s;
    order.done(0, Effort::brief, std::vector{winner_of(items[0], 9000, 8000)}, 3 * before);
    EXPECT_EQ(order.steps().front().effort, Effort::brief);
    EXPECT_GT(order.steps().front().tune_s, 1.5 * before);
}

TEST(WorkOrder, TunesFullyAtOnceWhereBriefTuningsTakeAsLong) {
    const std::vector<WorkItem> items{item_of("a", 1 << 20, 100), item_of("b", 1 << 20, 90),
                                      item_of("c", 1 << 20, 80)};
    WorkOrder order(items, {});
    for (const std::size_t item : {0U, 1U}) {
        order.done(item, Effort::brief, std::vector{winner_of(items[item], 9000, 8000)}, 20);
    }
    EXPECT_EQ(order.steps().front().item, 2U);
    EXPECT_EQ(order.steps().front().effort, Effort::full);
    order.done(2, Effort::full, std::vector{winner_of(items[2], 9000, 8000)}, 4);
    EXPECT_EQ(steps_of(order, Effort::full).size(), 2U) << "of the others";
    EXPECT_TRUE(steps_of(order, Effort::brief).empty());
}

TEST(WorkOrder, PrefersSizesWhoseWinnerAnswersOthersToo) {
    const auto size = [](double octave) { return static_cast<std::int64_t>(std::exp2(octave)); };
    const std::vector<WorkItem> items{item_of("a", size(19), 100), item_of("a", size(19.5), 99),
                                      item_of("a", size(20), 100), item_of("b", size(19.5), 120)};
    WorkOrder order(items, {});
    EXPECT_EQ(order.steps().front().item, 1U);
    const double alone = order.call_ns(0);
    order.done(1, Effort::brief, std::vector{winner_of(items[1], 5000, 4000)}, 1);
    EXPECT_LT(order.call_ns(0), alone) << "answered by the neighbour";
    EXPECT_EQ(order.steps().front().item, 3U) << "the others have lost most of their worth";
}

TEST(WorkOrder, ExpectsLessWhereANearWinnerAnswers) {
    const WorkOrder order({item_of("a", 1 << 20, 100, "nearest"), item_of("b", 1 << 20, 90)}, {});
    EXPECT_EQ(order.steps().front().item, 1U);
}

TEST(WorkOrder, DoesNotTryAgainWhatFailed) {
    const std::vector<WorkItem> items{item_of("a", 1000, 10), item_of("a", 100'000, 10)};
    WorkOrder order(items, {});
    order.done(1, Effort::brief, {}, 1);
    EXPECT_EQ(steps_of(order, Effort::brief), std::vector<std::size_t>{0});
    order.done(0, Effort::brief, std::vector{winner_of(items[0], 5000, 4000)}, 1);
    EXPECT_EQ(steps_of(order, Effort::full), std::vector<std::size_t>{0});
    order.done(0, Effort::full, std::vector{winner_of(items[0], 5000, 4000)}, 1);
    EXPECT_TRUE(order.steps().empty());
}

}  // namespace
}  // namespace jitune::internal
