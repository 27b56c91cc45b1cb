// SPDX-License-Identifier: Apache-2.0
// Apps that end at any moment of a tuning, in every way: they end soon, with their own code, and
// leave nothing.

#include <array>
#include <chrono>
#include <string_view>
#include <thread>

#include "attack/tally.hpp"
#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

struct WayToEnd {
    std::string_view name;
    int code = 7;
    bool is_clean = true;          ///< C++ has a hook there, at which jitune can clean up
    bool runs_destructors = true;  ///< those of the app's statics
};

constexpr int kAbortCode = 134;
constexpr std::array kWaysToEnd{WayToEnd{"return"}, WayToEnd{"exit"}, WayToEnd{"exit in a thread"},
                                WayToEnd{"quick_exit", 7, true, false},
                                WayToEnd{"throw", kAbortCode, false, false}};

class Exits : public CliFixture {
protected:
    void SetUp() override {
        CliFixture::SetUp();
        // A compiler that hangs, and says so if it was let alone.
        std::ofstream(path("hangs"))
            << "#!/bin/sh\n"
               "[ \"$1\" = --version ] && echo hangs 1.0 && exit 0\n"
               "echo begun >>\"$folder/begun\"; sleep 60; echo ended >>\"$folder/ended\"\n";
        std::filesystem::permissions(path("hangs"), std::filesystem::perms::owner_all);
        std::filesystem::create_directory(path("tmp"));
    }

    /// Ends the app `delay` milliseconds after its first call.
    [[nodiscard]] Answer end_app(std::string_view end, int delay, std::string_view settings) const {
        return shell(
            fmt::format("export folder TMPDIR=\"$folder/tmp\" JITUNE_BUDGET=0.5 EXITS='{}' {}\n"
                        "ulimit -c 0; exec timeout -k 1 50 '{}' '{}' {}",
                        folder_.string(), settings, JITUNE_EXITS, end, delay));
    }

    /// What processes of the app are there a while after its end: they were killed, and need some
    /// time to go.
    [[nodiscard]] std::string left() const {
        std::string found;
        for (int look = 0; look < 200; ++look) {
            found = shell(fmt::format("grep -l -z -s '^EXITS={}$' /proc/[0-9]*/environ | "
                                      "grep -v \"/$$/\"",
                                      folder_.string()))
                        .out;
            if (found.empty()) {
                break;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return found;
    }

    bool ends_well(const WayToEnd& end, int delay, std::string_view settings) {
        SCOPED_TRACE(fmt::format("{} after {} ms, {}", end.name, delay, settings));
        const Answer answer = end_app(end.name, delay, settings);
        EXPECT_EQ(answer.code, end.code) << answer.err;
        EXPECT_EQ(answer.err.find("last") != std::string::npos, end.runs_destructors) << answer.err;
        // After an abort they may go on for a moment, and write into the folder removed below.
        EXPECT_EQ(left(), "");
        if (end.is_clean) {
            EXPECT_TRUE(std::filesystem::is_empty(path("tmp")));
        }
        std::filesystem::remove_all(path("tmp"));
        std::filesystem::create_directory(path("tmp"));
        return !HasFailure();
    }
};

TEST_F(Exits, OfAppsThatTuneAreClean) {
    Tally tally("ends of apps that tune");
    const std::string command = "JITUNE_WORKER='" JITUNE_COMMAND "' ";
    const std::array<std::string, 3> policies{"JITUNE_TUNE=now JITUNE_WORKER=none",
                                              command + "JITUNE_TUNE=now",
                                              command + "JITUNE_TUNE=background"};
    int turn = 0;
    for (const WayToEnd& end : kWaysToEnd) {
        for (const std::string& settings : policies) {
            for (int time = 0; time < tries(1, 30); ++time) {
                constexpr std::array kDelays{3, 40, 300, 1'100, 0, 700};
                const int delay = kDelays[static_cast<std::size_t>(turn++) % kDelays.size()];
                tally.add(ends_well(end, delay, "MALLOC_PERTURB_=165 " + settings));
            }
        }
    }
}

TEST_F(Exits, DoNotWaitForACompilerThatHangs) {
    const std::string settings = "JITUNE_TUNE=now JITUNE_WORKER=none JITUNE_CXX=\"$folder/hangs\"";
    for (const WayToEnd& end : kWaysToEnd) {
        if (end.is_clean) {
            EXPECT_TRUE(ends_well(end, 700, settings));
            EXPECT_NE(contents(path("begun")), "") << "no compiler was under way";
            EXPECT_EQ(contents(path("ended")), "");
        }
    }
}

}  // namespace
}  // namespace jitune::internal
