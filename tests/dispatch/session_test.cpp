// SPDX-License-Identifier: Apache-2.0
#include "jitune/session.hpp"

#include <cstdlib>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

Options in_memory() {
    Options options;
    options.database.clear();
    options.log_level = LogLevel::off;
    return options;
}

TEST(Session, StartsWithNothingDone) {
    const Session session(in_memory());
    const Counters counters = session.counters();
    EXPECT_EQ(counters.compiles, 0);
    EXPECT_EQ(counters.tunings, 0);
    EXPECT_EQ(counters.loads, 0);
    EXPECT_EQ(counters.store_errors, 0);
    EXPECT_EQ(counters.unserved, 0);
}

TEST(Session, ShowsEveryDeviceOrWhyThereIsNone) {
    Session session(in_memory());
    bool host = false;
    for (const DeviceDescription& one : session.devices()) {
        EXPECT_NE(one.id, "");
        EXPECT_NE(one.missing.empty(), one.device_class.empty()) << one.id;
        host = host || one.id == "host";
    }
    EXPECT_TRUE(host);
}

TEST(Session, RefusesOptionsThatMakeNoSense) {
    Options options = in_memory();
    options.strategy = "clever";
    expect_error(ErrorKind::usage, "clever", [&] { const Session session(options); });
    options = in_memory();
    options.budget = std::chrono::milliseconds(-1);
    expect_error(ErrorKind::usage, "budget is -1 ms", [&] { const Session session(options); });
}

TEST(Session, HasNoDigestOfATableInMemory) {
    const Session session(in_memory());
    expect_error(ErrorKind::store, "name one with JITUNE_DB",
                 [&] { return session.table_digest(); });
}

TEST(Session, TheStandardSessionIsMadeOnceTheEnvironmentIsValid) {
    ASSERT_EQ(setenv("JITUNE_DB", "none", 1), 0);
    ASSERT_EQ(setenv("JITUNE_BUDGET", "soon", 1), 0);
    expect_error(ErrorKind::usage, "JITUNE_BUDGET", [] { Session::standard(); });
    unsetenv("JITUNE_BUDGET");
    Session& standard = Session::standard();
    EXPECT_EQ(&Session::standard(), &standard);
    unsetenv("JITUNE_DB");
}

TEST(Origin, HasTheNamesOfTheCommandLine) {
    EXPECT_STREQ(to_string(Origin::tuned), "tuned");
    EXPECT_STREQ(to_string(Origin::stored), "stored");
    EXPECT_STREQ(to_string(Origin::nearest), "nearest");
    EXPECT_STREQ(to_string(Origin::template_default), "default");
    EXPECT_STREQ(to_string(Origin::pinned), "pinned");
    expect_error(ErrorKind::usage,
                 "99 is not an origin: use tuned, stored, nearest, default, pinned or rule",
                 [] { to_string(static_cast<Origin>(99)); });
}

}  // namespace
}  // namespace jitune::internal
