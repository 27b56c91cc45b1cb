// SPDX-License-Identifier: Apache-2.0
#include "dispatch/session_options.hpp"

#include <chrono>
#include <functional>
#include <limits>
#include <utility>

#include "fixtures/engine_fixture.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

void expect_refused(const std::string& text, const std::function<void(Options&)>& change) {
    Options options;
    change(options);
    expect_error(ErrorKind::usage, text, [&] { checked(options); });
}

TEST(SessionOptions, RefusesTimesThatAreNegativeOrLongerThanAClockCanAdd) {
    using Member = std::pair<milliseconds Options::*, std::string>;
    for (const auto& [member, name] : {Member(&Options::budget, "Options::budget"),
                                       {&Options::hang_limit, "Options::hang_limit"},
                                       {&Options::compile_limit, "Options::compile_limit"}}) {
        for (const milliseconds time : {milliseconds::min(), milliseconds(-1), milliseconds::max(),
                                        milliseconds(10'000'000'001)}) {
            expect_refused(name, [&, place = member](Options& options) { options.*place = time; });
        }
        Options longest;
        longest.*member = milliseconds(10'000'000'000);
        EXPECT_NO_THROW(checked(longest));
    }
}

TEST(SessionOptions, ReadsAZeroBudgetAsNoLimitAndRefusesOtherZeros) {
    Options unlimited;
    unlimited.budget = milliseconds(0);
    EXPECT_EQ(checked(unlimited).budget, milliseconds(0));
    expect_refused("hang_limit is 0 ms: give 1 to",
                   [](Options& options) { options.hang_limit = milliseconds(0); });
    expect_refused("compile_limit is 0 ms: give 1 to",
                   [](Options& options) { options.compile_limit = milliseconds(0); });
}

TEST(SessionOptions, RefusesValuesOutsideTheirEnumerations) {
    expect_refused("on_miss is 9: use TunePolicy::background, now, offline or template_default",
                   [](Options& options) { options.on_miss = static_cast<TunePolicy>(9); });
    expect_refused("on_miss is -1",
                   [](Options& options) { options.on_miss = static_cast<TunePolicy>(-1); });
    expect_refused("record is 3: use Record::nothing, misses or all",
                   [](Options& options) { options.record = static_cast<Record>(3); });
    expect_refused("log_level is 5",
                   [](Options& options) { options.log_level = static_cast<LogLevel>(5); });
}

TEST(SessionOptions, RefusesNamesThatNothingHas) {
    expect_refused("unknown strategy", [](Options& options) { options.strategy = "clever"; });
    expect_refused("Options::device: unknown device \"gpu\": use host, cuda or cuda:N, or auto",
                   [](Options& options) { options.device = "gpu"; });
}

TEST(SessionOptions, ASessionMakesNoFileForTheDatabaseNone) {
    Options options;
    options.database = "none";
    EXPECT_EQ(checked(options).database, "");
    EXPECT_EQ(database_named("none"), "");
    EXPECT_EQ(database_named("./none"), "./none");
}

}  // namespace
}  // namespace jitune::internal
