#include "engine/plan_memo.hpp"

#include <array>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "jitune/error.hpp"

namespace jitune {
namespace {

/// One step with a grid of `grid` blocks.
Resolved answer(const std::string& grid) {
    const auto quantity = [](const std::string& text) {
        return LaunchRule::Quantity{
            Expression::parse(text).for_slots(std::array<std::string, 1>{"n"}), "grid.x"};
    };
    const auto one = quantity("1");
    LaunchRule::Step step{one, quantity("0"), {quantity(grid), one, one}, {one, one, one}, {}};
    Resolved resolved;
    resolved.rule = LaunchRule({step}, {});
    return resolved;
}

std::uint32_t grid_of(const Resolved& resolved, std::int64_t n) {
    return remembered_plan(resolved, std::array{n}).with(resolved, {}).steps[0].grid.x;
}

TEST(PlanMemo, IsThePlanForEachSizeHoweverTheyTakeTurns) {
    const Resolved twice = answer("2 * n");
    for (int round = 0; round < 2; ++round) {
        for (std::int64_t n = 1; n < 100; ++n) {
            ASSERT_EQ(grid_of(twice, n), 2 * n);
        }
    }
}

TEST(PlanMemo, TellsAnswersApartThatLiveAtTheSameAddress) {
    std::optional<Resolved> place;
    for (std::uint32_t factor = 1; factor < 50; ++factor) {
        place.emplace(answer(std::to_string(factor) + " * n"));
        EXPECT_EQ(grid_of(*place, 7), 7 * factor);
    }
}

TEST(PlanMemo, FollowsTheWorkMemoryThatACallHas) {
    const LaunchRule::Quantity one{Expression::constant(std::int64_t{1}), "count"};
    const LaunchRule::Quantity zero{Expression::constant(std::int64_t{0}), "shared_bytes"};
    const LaunchRule::Argument plain{LaunchRule::Argument::Kind::scratch, 4, one};
    const LaunchRule::Step step{one, zero, {one, one, one}, {one, one, one}, {0}};
    Resolved resolved;
    resolved.rule = LaunchRule({step}, {plain});
    char first = 0;
    char second = 0;
    for (char* memory : {&first, &first, &second, &first}) {
        RememberedPlan& plan = remembered_plan(resolved, std::array<std::int64_t, 1>{1});
        EXPECT_EQ(plan.need().plain, 256U);
        EXPECT_EQ(plan.with(resolved, {memory, nullptr}).cells[0],
                  reinterpret_cast<std::uintptr_t>(memory));
    }
}

TEST(PlanMemo, RemembersNothingOfAPlanThatFailed) {
    const Resolved resolved = answer("8 - n");
    EXPECT_EQ(grid_of(resolved, 3), 5U);
    for (int i = 0; i < 2; ++i) {
        EXPECT_THROW(grid_of(resolved, 9), Error);
        EXPECT_EQ(grid_of(resolved, 3), 5U);
    }
}

TEST(PlanMemo, BelongsToItsThread) {
    const Resolved resolved = answer("n");
    RememberedPlan& mine = remembered_plan(resolved, std::array<std::int64_t, 1>{5});
    std::thread([&] {
        EXPECT_NE(&remembered_plan(resolved, std::array<std::int64_t, 1>{5}), &mine);
    }).join();
    EXPECT_EQ(mine.with(resolved, {}).steps[0].grid.x, 5U);
}

}  // namespace
}  // namespace jitune
