// SPDX-License-Identifier: Apache-2.0
// Sweeps of which one process is killed at any time: nothing that was stored is lost, no process
// and no folder stays, and the next sweep goes on.

#include <fcntl.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "attack/tally.hpp"
#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

enum class Victim { command, worker, compiler };

std::string variable_of(const fs::path& process, const std::string& name) {
    const std::string all = '\0' + contents(process / "environ");
    const std::size_t at = all.find('\0' + name + '=');
    return at == std::string::npos ? "" : std::string(all.c_str() + at + name.size() + 2);
}

/// The sweeps of one folder, one after the other.
class Lane {
public:
    explicit Lane(fs::path folder) : folder_(std::move(folder)) {
        fs::create_directories(folder_ / "temp");
        fs::permissions(folder_, fs::perms::owner_all);
    }

    /// Starts a sweep whose processes all have this lane's mark.
    pid_t start() {
        const std::string out = folder_ / "out", database = folder_ / "tuning.db";
        const pid_t child = fork();
        if (child == 0) {
            setenv("KILLS_LANE", folder_.c_str(), 1);
            setenv("TMPDIR", (folder_ / "temp").c_str(), 1);
            setenv("JITUNE_DB", database.c_str(), 1);
            const int file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
            dup2(file, STDOUT_FILENO);
            dup2(file, STDERR_FILENO);
            execl(JITUNE_COMMAND, JITUNE_COMMAND, "sweep", "reduce", "--device", "host", "--sizes",
                  "1000", "--budget", "0", "--evaluations", "3", "--again", nullptr);
            _exit(127);
        }
        return child;
    }

    /// The processes of this lane's sweep, but the command.
    [[nodiscard]] std::vector<pid_t> others(pid_t command, std::optional<Victim> kind = {}) const {
        std::vector<pid_t> found;
        for (const auto& entry : fs::directory_iterator("/proc")) {
            const pid_t id = std::atoi(entry.path().filename().c_str());
            if (id > 0 && id != command && variable_of(entry, "KILLS_LANE") == folder_) {
                const std::string words = '\0' + contents(entry.path() / "cmdline");
                const bool is_worker =
                    words.find(std::string_view("\0worker\0", 8)) != std::string::npos;
                if (!kind || is_worker == (*kind == Victim::worker)) {
                    found.push_back(id);
                }
            }
        }
        return found;
    }

    /// Kills the first process of a kind that a sweep has `delay` after its start or later. Returns
    /// why the lane has not survived it, or "".
    std::string kill_after(Seconds delay, Victim victim) {
        const pid_t command = start();
        std::this_thread::sleep_for(delay);
        const std::vector<pid_t> victims = victims_of(command, victim);
        killed_ = false;
        for (const pid_t one : victims) {
            killed_ = ::kill(one, SIGKILL) == 0 || killed_;
        }
        const int code = end_of(command);
        const std::string text = contents(folder_ / "out");
        // Where a process that the command cannot do without was killed, it says so.
        const bool is_told = code > 0 && text.find("signal 9 (Killed)") != std::string::npos;
        if (code != 0 && !is_told && (victim != Victim::command || code != -SIGKILL)) {
            return fmt::format("the command ends with {}: {}", code, text);
        }
        return complaint();
    }

    /// What is lost or left after a sweep.
    std::string complaint() {
        const Clock::time_point end = Clock::now() + std::chrono::seconds(20);
        while (!others(0).empty()) {
            if (Clock::now() > end) {
                return fmt::format("process {} stays", others(0)[0]);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        if (!fs::exists(folder_ / "tuning.db")) {
            return stored_ == 0 ? "" : "the database is gone";
        }
        const auto [code, counts] = verify();
        if (counts.dump().find("undoes that commit") != std::string::npos) {
            return "";  // a reader says so; the next sweep shows what is lost
        }
        if (code != 0) {
            return fmt::format("db verify ends with {}: {}", code, counts.dump());
        }
        const int now = counts["winners"].get<int>() + counts["measurements"].get<int>();
        if (now < stored_) {
            return fmt::format("{} rows have become {}", stored_, now);
        }
        stored_ = now;
        return "";
    }

    /// Whether the last victim was there to be killed.
    [[nodiscard]] bool killed() const { return killed_; }

    [[nodiscard]] bool leaves_nothing() const { return fs::is_empty(folder_ / "temp"); }

    /// How a child ended: its exit code, or minus the signal. Kills it after two minutes.
    static int end_of(pid_t child) {
        const Clock::time_point end = Clock::now() + std::chrono::minutes(2);
        int status = 0;
        while (waitpid(child, &status, WNOHANG) == 0) {
            if (Clock::now() > end) {
                ::kill(child, SIGKILL);
                waitpid(child, &status, 0);
                return -SIGALRM;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

private:
    /// Waits for the processes of a kind until the command ends.
    [[nodiscard]] std::vector<pid_t> victims_of(pid_t command, Victim kind) const {
        if (kind == Victim::command) {
            return {command};
        }
        siginfo_t ended{};
        while (ended.si_pid == 0) {
            std::vector<pid_t> found = others(command, kind);
            if (!found.empty()) {
                return found;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            waitid(P_PID, static_cast<id_t>(command), &ended, WEXITED | WNOHANG | WNOWAIT);
        }
        return {};
    }

    [[nodiscard]] std::pair<int, json> verify() const {
        const std::string file = folder_ / "verified";
        const int status =
            std::system(fmt::format("'{}' db verify --json --db '{}' >'{}' 2>&1", JITUNE_COMMAND,
                                    (folder_ / "tuning.db").string(), file)
                            .c_str());
        const json counts = json::parse(contents(file), nullptr, false);
        return {WEXITSTATUS(status), counts.is_discarded() ? json(contents(file)) : counts};
    }

    fs::path folder_;
    bool killed_ = false;
    int stored_ = 0;  ///< rows of the database after the last sweep
};

class Kills : public CliFixture {
protected:
    /// False where none is left.
    static bool take_one(std::atomic<int>& left) {
        int now = left;
        while (now > 0 && !left.compare_exchange_weak(now, now - 1)) {
        }
        return now > 0;
    }
};

TEST_F(Kills, LoseNothingAndLeaveNothing) {
    const int sweeps = tries(40, 2000);
    constexpr int kSweepsPerDatabase = 25;
    Tally tally("sweeps of which a process was killed at any time");
    std::atomic<int> left = sweeps;
    std::array<std::atomic<int>, 3> killed{};  // by kind of victim
    const auto run_lane = [&](int number) {
        std::mt19937 random(static_cast<unsigned>(number));
        Lane lane(folder_ / fmt::format("lane{}", number));
        Seconds whole{0};
        for (int mine = 0; take_one(left); ++mine) {
            if (mine % kSweepsPerDatabase == 0) {
                lane = Lane(folder_ / fmt::format("lane{}-{}", number, mine));
                const Clock::time_point begin = Clock::now();
                ASSERT_EQ(Lane::end_of(lane.start()), 0);
                ASSERT_EQ(lane.complaint(), "");
                whole = Clock::now() - begin;
            }
            const Seconds delay = whole * std::uniform_real_distribution<>(0, 1)(random);
            const auto victim = static_cast<Victim>(mine % 3);
            const std::string complaint = lane.kill_after(delay, victim);
            EXPECT_EQ(complaint, "") << "victim " << mine % 3 << " after " << delay.count() << " s";
            if (lane.killed()) {
                tally.add(complaint.empty());
                ++killed.at(static_cast<std::size_t>(victim));
            } else {
                ++left;  // the process was not there at that time: another try
            }
        }
        EXPECT_EQ(Lane::end_of(lane.start()), 0);
        EXPECT_EQ(lane.complaint(), "");
        EXPECT_TRUE(lane.leaves_nothing()) << "the last sweep removes what was left";
    };
    std::vector<std::jthread> lanes;
    for (int number = 1; number <= tries(2, 3); ++number) {
        lanes.emplace_back(run_lane, number);
    }
    lanes.clear();
    for (const std::atomic<int>& count : killed) {
        EXPECT_GT(count, 0) << "processes of kind " << &count - killed.data();
    }
}

}  // namespace
}  // namespace jitune::internal
