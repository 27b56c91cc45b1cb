// SPDX-License-Identifier: Apache-2.0
// Candidates that harm their process, the machine or each other, on the host.

#include <dirent.h>

#include <fstream>
#include <thread>

#include "attack/zoo_fixture.hpp"
#include "support/loop_clock.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {
namespace {

class Zoo : public ZooFixture {
protected:
    /// How many processes live that a worker's candidates have started.
    static int orphans() {
        int count = 0;
        DIR* const processes = ::opendir("/proc");
        while (const dirent* entry = ::readdir(processes)) {
            std::ifstream file(std::string("/proc/") + entry->d_name + "/environ");
            const std::string all(std::istreambuf_iterator<char>(file), {});
            count += all.find(std::string(kFamilyVariable) + "=" + std::to_string(::getpid())) !=
                             std::string::npos
                         ? 1
                         : 0;
        }
        ::closedir(processes);
        return count;
    }

    /// Killed processes end as soon as a busy machine runs them once more.
    static int orphans_left() {
        constexpr std::chrono::milliseconds kPause{10};
        LoopClock time(kPause, 100 * kPause);
        while (orphans() != 0 && time.turn() < std::chrono::seconds(10)) {
            std::this_thread::sleep_for(kPause);
        }
        return orphans();
    }
};

TEST_F(Zoo, NamesEveryGuiltyCandidateAndNoInnocentOne) {
    const std::vector<std::string> all = names(PlatformKind::host, false);
    EXPECT_GE(all.size(), 64U);
    options_.hang_limit = std::chrono::seconds(30);  // none hangs, however busy the machine is
    options_.compile_limit = std::chrono::seconds(60);
    {
        Engine engine(options_, families());
        const TuneReport report = tune(engine, engine.device("host"), 1, all);
        expect_named(report, PlatformKind::host, 1, all);
    }
    EXPECT_EQ(orphans_left(), 0);
}

TEST_F(Zoo, EndsWhatHangs) {
    std::vector<std::string> slow{"good"};
    for (const Behaviour& one : zoo(PlatformKind::host)) {
        if (one.slow) {
            slow.emplace_back(one.name);
        }
    }
    options_.hang_limit = std::chrono::milliseconds(2000);
    options_.compile_limit = std::chrono::milliseconds(8000);
    Engine engine(options_, families());
    expect_named(tune(engine, engine.device("host"), 1, slow), PlatformKind::host, 1, slow);
}

TEST_F(Zoo, NamesCandidatesThatShareTheirCodeWithOneThatHarmsAtLoad) {
    const std::vector<std::string> few{"good", "endless_load", "crashes_at_load", "off_by_one"};
    Engine engine(options_, families());
    expect_named(tune(engine, engine.device("host"), 2, few), PlatformKind::host, 2, few);
}

}  // namespace
}  // namespace jitune::internal
