// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/winner_index.hpp"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {
namespace {

Winner indexed(const std::string& kernel, std::int64_t bucket, const std::string& sizes,
               const std::string& covers = "") {
    Winner winner;
    winner.key = {{kernel, "element=float32", "cuda", 4, "hash"}, bucket};
    winner.sizes = sizes;
    winner.range.covers = covers;
    return winner;
}

using Places = std::vector<std::size_t>;

TEST(WinnerIndex, FindsWinnersOfTheKeyWithAnyBucketInTheirOrder) {
    const std::vector winners{indexed("a", 7, "n=5", "n=1..9; n=20..30"),
                              indexed("a", 8, "n=1000", "n=8..1000"), indexed("b", 7, "n=5"),
                              indexed("a", 7, "rows=5 columns=5"),
                              indexed("a", 7, "n=25", "n=1..4; n=21..40")};
    const WinnerIndex index(winners);
    const RecordKey key = indexed("a", 99, "").key;
    EXPECT_EQ(index.serving(key, Sizes{5}), (Places{0}));
    EXPECT_EQ(index.serving(key, Sizes{9}), (Places{0, 1}));
    EXPECT_EQ(index.serving(key, Sizes{25}), (Places{0, 1, 4}));
    EXPECT_EQ(index.serving(key, Sizes{5, 5}), (Places{3}));
    EXPECT_EQ(index.serving(key, Sizes{1001}), Places{});
    EXPECT_EQ(index.serving(key, {}), Places{});
    EXPECT_EQ(index.serving(indexed("c", 7, "").key, Sizes{5}), Places{});
}

TEST(WinnerIndex, LeavesMalformedSizesOut) {
    const std::vector winners{indexed("a", 7, "n=5", "n=9..1"), indexed("a", 7, ""),
                              indexed("a", 7, "n=5")};
    EXPECT_EQ(WinnerIndex(winners).serving(winners[0].key, Sizes{5}), (Places{2}));
}

TEST(WinnerIndex, FindsWhatALookAtEachWinnerFinds) {
    std::mt19937 random(7);
    const auto draw = [&](int most) {
        return std::uniform_int_distribution<std::int64_t>(1, most)(random);
    };
    std::vector<Winner> winners;
    for (int i = 0; i < 200; ++i) {
        const std::int64_t rows = draw(30);
        const std::int64_t columns = draw(30);
        winners.push_back(indexed(draw(2) == 1 ? "a" : "b", i,
                                  fmt::format("rows={} columns={}", rows, columns),
                                  fmt::format("rows={}..{} columns={}..{}", rows, rows + draw(9),
                                              columns, columns + draw(9))));
    }
    const WinnerIndex index(winners);
    for (int i = 0; i < 500; ++i) {
        const RecordKey& key = winners[static_cast<std::size_t>(draw(200)) - 1].key;
        const Sizes sizes{draw(40), draw(40)};
        Places places;
        for (std::size_t place = 0; place < winners.size(); ++place) {
            if (winners[place].key.is_like(key) && covers(*boxes_of(winners[place]), sizes)) {
                places.push_back(place);
            }
        }
        EXPECT_EQ(index.serving(key, sizes), places);
    }
}

}  // namespace
}  // namespace jitune::internal
