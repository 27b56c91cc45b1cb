// SPDX-License-Identifier: Apache-2.0
// Tries inside calls (Options::explore_share) on the CPU.
#include "fixtures/explored_calls.hpp"

namespace jitune::internal {
namespace {

TEST(ExploredReduceHost, GivesRightResultsAndComparesEqualKernels) {
    ExploredCalls calls;
    const auto call = [&](Session& session) {
        ASSERT_TRUE(calls.is_right(tuned_reduce(calls.values(), ReduceOp::sum, session)));
    };
    auto session = calls.tuned(call);
    if (!calls.explore(*session, call)) {
        GTEST_SKIP() << "no tries: the winner is provisional, or nothing is near it";
    }
    session.reset();
    expect_sound(calls.ledger());
}

}  // namespace
}  // namespace jitune::internal
