// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/coverage.hpp"

#include <algorithm>
#include <functional>

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

Winner serving(const std::string& covers, const std::string& configuration = "block=256",
               bool unsure = false) {
    Winner winner = winner_of(40);
    winner.range = {covers, 1.02, 59, unsure};
    winner.configuration = configuration;
    return winner;
}

std::string digest_of(std::vector<Winner> winners) {
    return table_digest(winners);
}

TEST(TableDigest, HasThirtyTwoHexadecimalDigits) {
    const std::string digest = digest_of({serving("n=1..8")});
    EXPECT_EQ(digest.size(), 32U);
    EXPECT_EQ(digest.find_first_not_of("0123456789abcdef"), std::string::npos) << digest;
    EXPECT_NE(digest_of({}), digest);
}

TEST(TableDigest, DoesNotDependOnTheOrderOfRows) {
    std::vector<Winner> winners{serving("n=1..8"), serving("n=9..20", "block=512"),
                                serving("n=30..90", "block=64", true)};
    const std::string digest = digest_of(winners);
    std::reverse(winners.begin(), winners.end());
    EXPECT_EQ(digest_of(winners), digest);
}

TEST(TableDigest, DoesNotDependOnHowTheSizesAreCut) {
    const std::string whole = digest_of({serving("n=1..20")});
    EXPECT_EQ(digest_of({serving("n=9..20; n=1..8")}), whole);
    EXPECT_EQ(digest_of({serving("n=1..8"), serving("n=9..20")}), whole);
    Winner left = serving("rows=1..4 columns=1..8; rows=5..9 columns=1..3");
    Winner top = serving("rows=1..9 columns=1..3; rows=1..4 columns=4..8");
    left.sizes = top.sizes = "rows=1 columns=1";
    EXPECT_EQ(digest_of({left}), digest_of({top}));
}

TEST(TableDigest, DoesNotDependOnWhatServesNothing) {
    const Winner plain = serving("n=1..20");
    const std::string digest = digest_of({plain});
    const std::vector<std::function<void(Winner&)>> changes{
        [](Winner& one) { one.sizes = "n=7"; },
        [](Winner& one) { one.key.bucket = 3; },
        [](Winner& one) { one.median_ns = 1; },
        [](Winner& one) { one.image = "another"; },
        [](Winner& one) { one.complete = false; },
        [](Winner& one) { one.range.loss_bound = 1.01; },
        [](Winner& one) {
            one.provenance = {"B200", "GPU-9", "CUDA 14.0", "NVRTC 14.0", "2027"};
        },
    };
    for (const auto& change : changes) {
        Winner other = plain;
        change(other);
        EXPECT_EQ(digest_of({other}), digest) << &change - changes.data();
    }
}

TEST(TableDigest, ChangesWithAllThatIsServed) {
    const Winner plain = serving("n=1..20");
    const std::vector<std::function<void(Winner&)>> changes{
        [](Winner& one) { one.key.kernel = "stencil"; },
        [](Winner& one) { one.key.types = "element=int8"; },
        [](Winner& one) { one.key.alignment = 4; },
        [](Winner& one) { one.key.template_hash = "0"; },
        [](Winner& one) { one.key.device_class = "host"; },
        [](Winner& one) { one.configuration = "block=512"; },
        [](Winner& one) { one.range.covers = "n=1..21"; },
        [](Winner& one) { one.range.covers = "n=1..19"; },
        [](Winner& one) { one.range.unsure = true; },
        [](Winner& one) { one.range.by_default = true; },
    };
    std::vector<std::string> digests{digest_of({plain})};
    for (const auto& change : changes) {
        Winner other = plain;
        change(other);
        const std::string digest = digest_of({other});
        EXPECT_EQ(std::count(digests.begin(), digests.end(), digest), 0)
            << &change - changes.data();
        digests.push_back(digest);
    }
    EXPECT_NE(digest_of({serving("n=1..8"), serving("n=9..20", "block=512")}),
              digest_of({serving("n=1..9"), serving("n=10..20", "block=512")}));
}

TEST(TableDigest, CountsTheYoungestOfTwoWinnersThatServeASize) {
    Winner younger = serving("n=1..10");
    younger.provenance.created_at = "2027-01-01T00:00:00Z";
    const Winner older = serving("n=5..20", "block=512");
    EXPECT_EQ(digest_of({older, younger}),
              digest_of({serving("n=1..10"), serving("n=11..20", "block=512")}));
    younger.range.unsure = true;
    EXPECT_EQ(digest_of({older, younger}),
              digest_of({serving("n=5..20", "block=512"), serving("n=1..10", "block=256", true)}));
}

}  // namespace
}  // namespace jitune::internal
