// SPDX-License-Identifier: Apache-2.0
#include "strategy/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

SearchSpace space_of_100() {
    std::vector<Value> digits;
    for (std::int64_t digit = 0; digit < 10; ++digit) {
        digits.emplace_back(digit);
    }
    return SearchSpace({{"tens", digits, 0}, {"ones", digits, 0}}, {});
}

/// Asks `count` at a time until the strategy is done.
std::vector<std::size_t> ask_all(Strategy& strategy, std::size_t count) {
    std::vector<std::size_t> all;
    for (auto asked = strategy.ask(count); !asked.empty(); asked = strategy.ask(count)) {
        EXPECT_LE(asked.size(), count);
        all.insert(all.end(), asked.begin(), asked.end());
    }
    return all;
}

class EveryStrategy : public testing::TestWithParam<StrategyEntry> {};

TEST_P(EveryStrategy, TakesResultsThatWereKnownBefore) {
    const SearchSpace space = space_of_100();
    const auto strategy = make_strategy(GetParam().name, space, 1);
    for (std::size_t known = 0; known < 20; ++known) {
        strategy->tell(known, known % 2 == 0 ? std::optional(100.0) : std::nullopt);
    }
    std::set<std::size_t> asked;
    for (const std::size_t index : ask_all(*strategy, 7)) {
        EXPECT_TRUE(asked.insert(index).second) << index;
        strategy->tell(index, 50.0);
    }
    for (std::size_t unknown = 20; unknown < space.size(); ++unknown) {
        EXPECT_TRUE(asked.contains(unknown)) << unknown;
    }
}

TEST_P(EveryStrategy, AsksForEachConfigurationOnceAndIsThenDone) {
    const SearchSpace space = space_of_100();
    const auto strategy = make_strategy(GetParam().name, space, 1);
    std::vector<std::size_t> asked = ask_all(*strategy, 7);
    EXPECT_TRUE(strategy->ask(1).empty());
    std::sort(asked.begin(), asked.end());
    std::vector<std::size_t> all(space.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_EQ(asked, all);
}

TEST_P(EveryStrategy, AsksTheSameForEqualSeeds) {
    const SearchSpace space = space_of_100();
    const auto first = make_strategy(GetParam().name, space, 42);
    const auto second = make_strategy(GetParam().name, space, 42);
    EXPECT_EQ(ask_all(*first, 10), ask_all(*second, 10));
}

TEST_P(EveryStrategy, TakesVerdictsInAnyOrderAndLate) {
    const SearchSpace space = space_of_100();
    const auto strategy = make_strategy(GetParam().name, space, 3);
    const std::vector<std::size_t> first = strategy->ask(4);
    const std::vector<std::size_t> second = strategy->ask(4);
    strategy->tell(second[1], 1000.0);
    strategy->tell(first[3], std::nullopt);
    for (const std::size_t index : strategy->ask(92)) {
        EXPECT_EQ(std::count(first.begin(), first.end(), index), 0);
        EXPECT_EQ(std::count(second.begin(), second.end(), index), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryStrategy,
                         testing::ValuesIn(strategies().begin(), strategies().end()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(ExhaustiveStrategy, AsksInTheOrderOfTheSpace) {
    const SearchSpace space = space_of_100();
    EXPECT_EQ(make_strategy("exhaustive", space, 0)->ask(3), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(RandomStrategy, DependsOnTheSeedNotOnHowManyAreAskedAtOnce) {
    const SearchSpace space = space_of_100();
    const auto order = [&](std::uint64_t seed, std::size_t count) {
        return ask_all(*make_strategy("random", space, seed), count);
    };
    EXPECT_EQ(order(5, 1), order(5, 33));
    EXPECT_NE(order(5, 1), order(6, 1));
}

TEST(RandomStrategy, AsksTheSameOnEveryStandardLibrary) {
    const SearchSpace space = space_of_100();
    EXPECT_EQ(make_strategy("random", space, 1)->ask(5),
              (std::vector<std::size_t>{28, 79, 62, 45, 0}));
}

TEST(Strategies, ListAllNamesForAnUnknownOne) {
    const SearchSpace space = space_of_100();
    try {
        make_strategy("annealing", space, 0);
        FAIL() << "the strategy was made";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        const std::string message = error.what();
        EXPECT_TRUE(message.starts_with("unknown strategy \"annealing\": use one of ")) << message;
        for (const StrategyEntry& row : strategies()) {
            EXPECT_NE(message.find(row.name), std::string::npos) << row.name;
        }
    }
}

/// A valley whose floor is at `floor`: the time grows with the distance of each digit.
double valley(std::size_t index, std::size_t floor) {
    const auto apart = [](std::size_t a, std::size_t b) {
        return static_cast<double>(a > b ? a - b : b - a);
    };
    return 100 + apart(index / 10, floor / 10) + apart(index % 10, floor % 10);
}

/// How many are asked until `floor` is among them, four at a time.
std::size_t asked_until_floor(Strategy& strategy, std::size_t floor) {
    std::size_t asked = 0;
    for (bool found = false; !found;) {
        for (const std::size_t index : strategy.ask(4)) {
            ++asked;
            found = found || index == floor;
            strategy.tell(index, valley(index, floor));
        }
    }
    return asked;
}

TEST(SurrogateStrategy, FindsTheFloorOfAValleySoonerThanChance) {
    const SearchSpace space = space_of_100();
    std::size_t asked = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        asked += asked_until_floor(*make_strategy("surrogate", space, seed), 73);
    }
    EXPECT_LT(asked, 20 * 30u);  // chance takes 50 of 100 on average
}

TEST(SurrogateStrategy, LearnsWhatFails) {
    // Half of the space fails; the other half is flat but for one configuration.
    const SearchSpace space = space_of_100();
    std::size_t failed = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const auto strategy = make_strategy("surrogate", space, seed);
        for (int i = 0; i < 40; ++i) {
            for (const std::size_t index : strategy->ask(1)) {
                const bool fails = index >= 50;
                failed += fails ? 1 : 0;
                strategy->tell(index, fails ? std::nullopt : std::optional(valley(index, 23)));
            }
        }
    }
    EXPECT_LT(failed, 10 * 14u);  // chance takes 20 of 40
}

TEST(SurrogateStrategy, GoesOnWhereNothingWorks) {
    const SearchSpace space = space_of_100();
    const auto strategy = make_strategy("surrogate", space, 5);
    std::size_t asked_in_all = 0;
    for (auto asked = strategy->ask(8); !asked.empty(); asked = strategy->ask(8)) {
        asked_in_all += asked.size();
        for (const std::size_t index : asked) {
            strategy->tell(index, std::nullopt);
        }
    }
    EXPECT_EQ(asked_in_all, space.size());
}

TEST(SurrogateStrategy, SearchesSpacesLargerThanItsPoolAndItsMemory) {
    std::vector<Value> values;
    for (std::int64_t value = 1; value <= 30; ++value) {
        values.emplace_back(value);
    }
    const SearchSpace space({{"a", values, 0}, {"b", values, 0}, {"c", values, 0}}, {});
    const auto time_of = [&](std::size_t index) {
        double time = 1;
        for (std::size_t i = 0; i < 3; ++i) {
            time += std::abs(static_cast<double>(space.position(index, i)) - 11);
        }
        return time;
    };
    const auto strategy = make_strategy("surrogate", space, 2);
    std::set<std::size_t> asked;
    double best = 1e9;
    for (int i = 0; i < 30; ++i) {
        for (const std::size_t index : strategy->ask(8)) {
            EXPECT_TRUE(asked.insert(index).second);
            best = std::min(best, time_of(index));
            strategy->tell(index, time_of(index));
        }
    }
    EXPECT_EQ(asked.size(), 240U);
    EXPECT_EQ(best, 1);
}

TEST(SurrogateStrategy, TakesTimesThatAreAllEqualOrNotPositive) {
    const SearchSpace space = space_of_100();
    for (const double time : {0.0, 5.0}) {
        const auto strategy = make_strategy("surrogate", space, 9);
        std::size_t asked = 0;
        for (auto some = strategy->ask(3); !some.empty(); some = strategy->ask(3)) {
            asked += some.size();
            for (const std::size_t index : some) {
                strategy->tell(index, time);
            }
        }
        EXPECT_EQ(asked, space.size());
    }
}

TEST(AutoStrategy, IsExhaustiveWhereTheBudgetHoldsTheSpace) {
    const SearchSpace space = space_of_100();
    const auto first = [&](std::string_view name, std::size_t budget) {
        return make_strategy(name, space, 7, budget)->ask(5);
    };
    EXPECT_EQ(first("auto", 100), first("exhaustive", 100));
    EXPECT_EQ(first("auto", 0), first("exhaustive", 0));
    EXPECT_EQ(first("auto", 99), first("surrogate", 99));
}

TEST(StrategyText, SaysWhatEachCosts) {
    for (const StrategyEntry& row : strategies()) {
        const std::string text = strategy_text(row);
        EXPECT_TRUE(text.starts_with(row.summary));
        EXPECT_EQ(text.find("within 5 % of the best after ") == std::string::npos,
                  row.name == "auto")
            << text;
    }
}

}  // namespace
}  // namespace jitune::internal
