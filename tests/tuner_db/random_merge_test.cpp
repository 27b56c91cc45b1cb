// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <random>

#include "fixtures/merge_fixture.hpp"

namespace jitune::internal {
namespace {

/// Databases of random rows, which overlap, contradict each other and refute each other.
class RandomMerges : public MergeTest, public testing::WithParamInterface<int> {
protected:
    std::int64_t draw(std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(0, most - 1)(random_);
    }
    template <class... Values>
    auto one_of(Values... values) {
        const std::array all{values...};
        return all.at(static_cast<std::size_t>(draw(std::ssize(all))));
    }

    std::string box() {
        const std::int64_t from = 1 + draw(30);
        const std::int64_t row = 1 + draw(5);
        return fmt::format("rows={}..{} columns={}..{}", from, from + draw(10), row, row + draw(4));
    }

    Winner random_winner() {
        Winner winner = winner_at(fmt::format("block={}", 32 << draw(3)), "",
                                  one_of("NVIDIA H200", "other"), static_cast<int>(draw(4)));
        winner.key.types = one_of("element=float32", "element=int32");
        winner.sizes = one_of("rows=4 columns=4", "rows=8 columns=2");
        winner.range.covers = one_of(box(), box() + "; rows=50 columns=1", std::string());
        winner.range.unsure = draw(5) == 0;
        const double low = 1 + static_cast<double>(draw(4)) / 10;
        winner.certainty = {one_of("l2=cold", "cpu=contended"), 0.01, low, low + 0.2};
        return winner;
    }

    void fill(const std::string& name) {
        const auto into = store(name);
        for (std::int64_t i = draw(8); i >= 0; --i) {
            Winner winner = random_winner();
            into->save({}, winner);
        }
        for (std::int64_t i = draw(4); i > 0; --i) {
            std::vector<Measurement> one{measurement_of(40, static_cast<double>(1 + draw(3)))};
            if (draw(4) == 0) {
                one[0].key = random_winner().key;
                one[0].configuration = random_winner().configuration;
                one[0].verdict = Verdict::wrong_result;
                one[0].samples_ns.clear();
            }
            into->save(one);
        }
        path_ = file(name);
        if (draw(3) == 0) {
            sql("UPDATE winner SET noise = 0.5 WHERE rowid = 2");
        }
    }

    std::mt19937_64 random_{static_cast<std::uint64_t>(GetParam())};
};

TEST_P(RandomMerges, GiveTheSameTableInAnyOrderAndRepetition) {
    const MergeOptions options{.trust_code = draw(3) != 0};
    for (const char* name : {"a", "b", "c"}) {
        fill(name);
    }
    make("abc", {"a", "b", "c"}, options);
    const auto expected = dump("abc");
    make("cba", {"c", "b", "a"}, options);
    EXPECT_EQ(dump("cba"), expected) << "another order";
    make("bca", {"b", "b", "c", "b", "a", "c", "a"}, options);
    EXPECT_EQ(dump("bca"), expected) << "repetitions";
    make("ab", {"a", "b"}, options);
    make("ab_c", {"ab", "c"}, options);
    EXPECT_EQ(dump("ab_c"), expected) << "(a + b) + c";
    make("bc", {"b", "c"}, options);
    make("a_bc", {"a", "bc"}, options);
    EXPECT_EQ(dump("a_bc"), expected) << "a + (b + c)";
    make("bc_a", {"bc", "a", "abc"}, options);
    EXPECT_EQ(dump("bc_a"), expected) << "a part of it again";
    const auto store_of_all = store("abc");
    EXPECT_TRUE(store_of_all->verify().problems.empty());
    for (std::int64_t rows = 1; rows < 45; rows += 3) {
        RecordKey key = key_of(40);
        key.types = "element=float32";
        EXPECT_EQ(store_of_all->find(key, Sizes{rows, 2}),
                  store("a_bc")->find(key, Sizes{rows, 2}));
    }
    merge("bc", "a", options);
    if (store("bc")->merges().undo().source == "a.db") {
        make("bc2", {"b", "c"}, options);
        EXPECT_EQ(dump("bc"), dump("bc2")) << "undone";
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMerges, testing::Range(1, 13));

}  // namespace
}  // namespace jitune::internal
