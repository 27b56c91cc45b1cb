// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "fixtures/engine_fixture.hpp"

namespace jitune::internal {
namespace {

/// The engine's kernel holds a caller's code, and there is no command to tune it.
class EngineWithoutWorker : public EngineFixture {
protected:
    EngineWithoutWorker() {
        kernel_.spec = {"sum", "foreign"};
        kernel_.foreign = true;
        options_.worker = dir_.path() / "no-such-command";
    }
};

TEST_F(EngineWithoutWorker, IsNotTunedInItsProcess) {
    const auto engine = make_engine();
    for (const std::string text :
         {"cannot tune sum", "on cuda:0 without a worker, because its candidates may crash",
          "no-such-command does not exist"}) {
        expect_error(ErrorKind::unavailable, text, [&] { resolve(*engine); });
    }
    EXPECT_EQ(engine->counters().compiles, 0);
    std::ofstream(options_.worker) << "#!/bin/false\n";
    std::filesystem::permissions(options_.worker, std::filesystem::perms::owner_all);
    expect_error(ErrorKind::unavailable, "ended before it was ready (exit code 1",
                 [&] { resolve(*engine); });
}

TEST_F(EngineWithoutWorker, IsTunedInItsProcessWhereTheCallerSaysSo) {
    options_.worker = "none";
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    expect_right(resolve(*engine));
}

TEST_F(EngineWithoutWorker, NeedsNoCommandForAStoredWinner) {
    const auto missing = std::exchange(options_.worker, "none");
    tune_before();
    options_.worker = missing;
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::stored);
    expect_right(resolve(*engine));
}

TEST_F(EngineWithoutWorker, NeedsNoCommandWhereNothingIsTuned) {
    for (const TunePolicy policy : {TunePolicy::offline, TunePolicy::template_default}) {
        options_.on_miss = policy;
        EXPECT_EQ(info(*make_engine()).origin, Origin::template_default);
    }
}

}  // namespace
}  // namespace jitune::internal
