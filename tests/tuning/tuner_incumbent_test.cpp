// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixtures/tuner_fixture.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {
namespace {

class TunerIncumbentTest : public TunerTest {
protected:
    TunerIncumbentTest() {
        plan_.incumbent = "block=256 items=1";
        plan_.max_evaluations = 1;
    }
};

TEST_F(TunerIncumbentTest, IsTriedEvenWithoutAnyBudgetLeft) {
    on(256, 1).ns = 400;
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.configuration, "block=256 items=1");
    EXPECT_EQ(report.winner.default_median_ns, 1000);
    EXPECT_EQ(report.progress.evaluated, 2U);
}

TEST_F(TunerIncumbentTest, KeepsItsPlaceInATie) {
    plan_.max_evaluations = 0;
    on(256, 1).ns = 500;
    on(32, 1).ns = 500;
    EXPECT_EQ(tune().winner.configuration, "block=256 items=1");
}

TEST_F(TunerIncumbentTest, GivesWayToAClearlyFasterOne) {
    plan_.max_evaluations = 0;
    on(256, 1).ns = 500;
    on(32, 1).ns = 400;
    EXPECT_EQ(tune().winner.configuration, "block=32 items=1");
}

TEST_F(TunerIncumbentTest, IsReplacedWhenItFails) {
    on(256, 1).compile_log = "no longer compiles";
    EXPECT_EQ(tune().winner.configuration, "block=64 items=2");
}

}  // namespace
}  // namespace jitune::internal
