// SPDX-License-Identifier: Apache-2.0
#include "plan/claim_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"
#include "plan/task_name.hpp"
#include "support/process_identity.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;
using Kind = ProblemState::Kind;

constexpr std::chrono::seconds kHour{3600};
constexpr std::chrono::seconds kNoTime{0};

/// A task of another machine, of which only signs of life tell whether it lives.
std::string far_task(int number) {
    return task_name("host=far boot=b pids=1 pid=" + std::to_string(number) + " start=1", 0);
}

/// One of this machine that has certainly ended.
std::string dead_task() {
    const std::string identity = process_identity();
    return task_name(identity.substr(0, identity.rfind('=') + 1) + "1", 0);
}

class ClaimFolderTest : public testing::Test {
protected:
    ClaimFolder task(const std::string& name, std::size_t problems = 5, std::size_t shards = 2,
                     ClaimRules rules = {}) {
        return {root_, part_, deliveries_, ClaimScope{problems, shards}, name, rules};
    }
    std::map<Kind, int> count(ClaimFolder& claims) {
        std::map<Kind, int> counts;
        for (const ProblemState& state : claims.states()) {
            ++counts[state.kind];
        }
        return counts;
    }
    static ClaimRules after(std::chrono::seconds silence) {
        ClaimRules rules;
        rules.silence = silence;
        return rules;
    }
    /// Until the files' clock, which moves every few milliseconds, has moved.
    static void await_silence_of(const ProblemState& claim, ClaimFolder& claims) {
        for (int i = 0; i < 3000 && claims.silent_for(claim) == 0; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        ASSERT_GT(claims.silent_for(claim), 0) << "the clock of the files stands still";
    }
    /// The claim was made so long before, as its name says.
    void make_older(const ProblemState& claim, std::chrono::seconds by) {
        ProblemState older = claim;
        older.since -= by.count();
        const fs::path shard = dir_.path() / "claims" / fmt::format("{:04}", claim.rank % 2);
        fs::rename(shard / claim.name(), shard / older.name());
    }
    fs::path life_of(const ProblemState& claim) { return dir_.path() / "lives" / claim.task; }
    void age(const fs::path& file, std::int64_t seconds) {
        struct stat status {};
        ASSERT_EQ(::lstat(file.c_str(), &status), 0) << file;
        timespec times[2] = {status.st_mtim, status.st_mtim};
        times[0].tv_sec = times[1].tv_sec = status.st_mtim.tv_sec - seconds;
        ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
    }

    TempDir dir_;
    SharedFolder root_ = SharedFolder::open(dir_.path());
    SharedFolder part_ = root_.make("unfinished");
    Deliveries deliveries_{root_.make("results"), SharedFolder::open(part_.path()), 2};
};

TEST_F(ClaimFolderTest, GivesEachProblemOnceWhoeverAsks) {
    ClaimFolder a = task(far_task(1));
    ClaimFolder b = task(far_task(2));
    std::map<std::size_t, int> ranks;
    for (int i = 0; i < 3; ++i) {
        for (ClaimFolder* const one : {&a, &b}) {
            if (const auto claim = one->claim()) {
                ++ranks[claim->rank];
                EXPECT_EQ(problem_state(claim->name()), *claim);
                one->finish(*claim);
            }
        }
    }
    EXPECT_EQ(ranks.size(), 5U);
    EXPECT_EQ(a.claim(), std::nullopt);
    EXPECT_EQ(count(a), (std::map<Kind, int>{{Kind::done, 5}}));
}

TEST_F(ClaimFolderTest, GivesTheFirstRanksFirst) {
    ClaimFolder claims = task(far_task(1), 40, 1);
    for (std::size_t rank = 0; rank < 40; ++rank) {
        EXPECT_EQ(claims.claim()->rank, rank);
    }
}

TEST_F(ClaimFolderTest, ManyThreadsNeverShareAProblem) {
    constexpr std::size_t kProblems = 400;
    constexpr std::size_t kShards = 4;
    std::vector<std::atomic<int>> claims(kProblems);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 16; ++i) {
            threads.emplace_back([&, i] {
                ClaimRules rules;
                rules.few_shards = 0;  // with the notes of empty shards
                ClaimFolder mine = task(far_task(i), kProblems, kShards, rules);
                while (const auto claim = mine.claim()) {
                    ++claims.at(claim->rank);
                    mine.finish(*claim);
                }
            });
        }
    }
    for (const auto& count : claims) {
        EXPECT_EQ(count, 1);
    }
}

TEST_F(ClaimFolderTest, LooksAgainWhereAClaimIsHandedBackToAShardThatIsNotedEmpty) {
    ClaimRules rules;
    rules.few_shards = 0;
    rules.between_looks = std::chrono::seconds(0);
    ClaimFolder a = task(far_task(1), 2, 2, rules);
    ClaimFolder b = task(far_task(2), 2, 2, rules);
    const auto first = a.claim();
    const auto second = a.claim();
    EXPECT_EQ(b.claim(), std::nullopt);
    a.hand_back(*first);
    const auto again = b.claim();
    ASSERT_TRUE(again);
    EXPECT_EQ(again->rank, first->rank);
    EXPECT_EQ(again->losses, 0U);
    ClaimFolder late = task(far_task(3), 2, 2, rules);
    EXPECT_EQ(late.claim(), std::nullopt);
}

TEST_F(ClaimFolderTest, SaysWhetherAnyProblemWaitsWithoutClaimingIt) {
    ClaimFolder a = task(far_task(1), 2, 2);
    ClaimFolder b = task(far_task(2), 2, 2);
    EXPECT_TRUE(b.any_waits()) << "in shards that nobody has made";
    const auto first = a.claim();
    EXPECT_TRUE(b.any_waits());
    const auto second = a.claim();
    EXPECT_FALSE(b.any_waits());
    a.finish(*first);
    a.hand_back(*second);
    EXPECT_TRUE(b.any_waits());
    EXPECT_EQ(b.claim()->rank, second->rank);
    EXPECT_FALSE(a.any_waits());
}

TEST_F(ClaimFolderTest, AProblemThatATaskHasRejectedWaitsUntilAnotherHasDoneIt) {
    ClaimFolder a = task(far_task(1), 1);
    EXPECT_FALSE(a.reject(*a.claim()));
    EXPECT_TRUE(a.any_waits());
    ClaimFolder b = task(far_task(2), 1);
    b.finish(*b.claim());
    EXPECT_FALSE(a.any_waits());
}

TEST_F(ClaimFolderTest, AProblemOfADeadTaskWaits) {
    {
        ClaimFolder dead = task(dead_task(), 1);
        ASSERT_TRUE(dead.claim());  // and is killed
    }
    ClaimFolder next = task(far_task(2), 1);
    EXPECT_TRUE(next.any_waits());
    EXPECT_EQ(next.claim()->losses, 1U);
}

TEST_F(ClaimFolderTest, BringsBackAtOnceTheClaimOfADeadTaskOfThisMachine) {
    std::optional<ProblemState> lost;
    {
        ClaimFolder dead = task(dead_task(), 1);
        lost = dead.claim();  // and is killed
    }
    ClaimFolder next = task(far_task(2), 1);
    std::vector<ProblemState> told;
    next.on_loss([&](const ProblemState& claim) { told.push_back(claim); });
    const auto claim = next.claim();
    ASSERT_TRUE(claim);
    EXPECT_EQ(claim->losses, 1U);
    EXPECT_EQ(told, std::vector<ProblemState>{*lost});
}

TEST_F(ClaimFolderTest, TakesTheClaimOfADeadTaskAsDoneWhereItHadDelivered) {
    {
        ClaimFolder dead = task(dead_task(), 1);
        deliveries_.put_text("a database", {Delivery::Kind::result, *dead.claim()});
    }  // and is killed before it says so
    ClaimFolder next = task(far_task(2), 1);
    EXPECT_EQ(next.claim(), std::nullopt);
    EXPECT_EQ(count(next), (std::map<Kind, int>{{Kind::done, 1}}));
}

TEST_F(ClaimFolderTest, BringsBackASilentClaimByTheClockOfTheFilesAlone) {
    ClaimFolder far = task(far_task(1), 1, 2, after(kHour));
    ClaimFolder near = task(far_task(2), 1, 2, after(kHour));
    const auto claim = far.claim();
    ASSERT_TRUE(claim);
    EXPECT_EQ(near.claim(), std::nullopt);
    // Whatever a stranger's clock has written as the time of the content: the change itself is what
    // the file server has seen.
    age(life_of(*claim), 1'000'000);
    EXPECT_EQ(near.claim(), std::nullopt);
    age(life_of(*claim), -1'000'000);  // in the future
    EXPECT_EQ(near.claim(), std::nullopt);
    age(life_of(*claim), 1'000'000);
    await_silence_of(*claim, near);
    ClaimFolder impatient = task(far_task(3), 1, 2, after(kNoTime));
    const auto again = impatient.claim();
    ASSERT_TRUE(again);
    EXPECT_EQ(again->losses, 1U);
}

TEST_F(ClaimFolderTest, ASignOfLifeKeepsAllClaimsOfATask) {
    ClaimFolder far = task(far_task(1), 2, 2, after(kHour));
    ClaimFolder near = task(far_task(2), 2, 2, after(kHour));
    for (int i = 0; i < 2; ++i) {
        const auto claim = far.claim();
        ASSERT_TRUE(claim);
        make_older(*claim, 2 * kHour);
    }
    fs::remove(dir_.path() / "lives" / far_task(1));
    far.beat();
    EXPECT_EQ(near.bring_back(), 0U);
    fs::remove(dir_.path() / "lives" / far_task(1));  // then the time of the claim counts
    EXPECT_EQ(near.bring_back(), 2U);
}

TEST_F(ClaimFolderTest, ATaskThatWasOnlySlowLosesNothing) {
    ClaimFolder slow = task(far_task(1), 1, 2, after(kNoTime));
    const auto claim = slow.claim();
    ClaimFolder other = task(far_task(2), 1, 2, after(kNoTime));
    await_silence_of(*claim, other);
    EXPECT_EQ(other.bring_back(), 1U);
    deliveries_.put_text("a database", {Delivery::Kind::result, *claim});
    slow.finish(*claim);
    EXPECT_EQ(count(other), (std::map<Kind, int>{{Kind::done, 1}}));
    EXPECT_EQ(other.claim(), std::nullopt);
}

TEST_F(ClaimFolderTest, AProblemThatEndsEveryTaskIsGivenUp) {
    ClaimRules rules;
    rules.most_losses = 3;
    for (int i = 0; i < 3; ++i) {
        ClaimFolder dead = task(dead_task(), 1, 2, rules);
        ASSERT_TRUE(dead.claim()) << i;
        ClaimFolder next = task(far_task(2), 1, 2, rules);
        next.bring_back();
    }
    ClaimFolder next = task(far_task(2), 1, 2, rules);
    EXPECT_EQ(next.claim(), std::nullopt);
    EXPECT_EQ(count(next), (std::map<Kind, int>{{Kind::failed, 1}}));
}

TEST_F(ClaimFolderTest, ARejectedProblemGoesToAnotherTaskAndThenFails) {
    ClaimFolder a = task(far_task(1), 2, 1);
    const auto first = a.claim();
    EXPECT_FALSE(a.reject(*first));
    const auto second = a.claim();
    EXPECT_NE(second->rank, first->rank);
    a.finish(*second);
    ClaimFolder b = task(far_task(2), 2, 1);
    const auto again = b.claim();
    ASSERT_TRUE(again);
    EXPECT_EQ(again->rank, first->rank);
    EXPECT_TRUE(b.reject(*again));
    EXPECT_EQ(a.claim(), std::nullopt);
    EXPECT_EQ(count(a), (std::map<Kind, int>{{Kind::done, 1}, {Kind::failed, 1}}));
}

TEST_F(ClaimFolderTest, ALonelyTaskTriesARejectedProblemOnceMore) {
    ClaimFolder a = task(far_task(1), 1, 1);
    EXPECT_FALSE(a.reject(*a.claim()));
    const auto again = a.claim();
    ASSERT_TRUE(again);
    EXPECT_TRUE(a.reject(*again));
    EXPECT_EQ(a.claim(), std::nullopt);
}

TEST_F(ClaimFolderTest, SomeoneWhoRepeatsAProblemHasItClaimedInTheNextRound) {
    ClaimFolder a = task(far_task(1), 1);
    const auto claim = a.claim();
    a.finish(*claim);
    const ProblemState done = a.states().at(0);
    EXPECT_TRUE(a.repeat(done, 2));
    EXPECT_FALSE(a.repeat(done, 2) && a.states().size() != 1);
    ClaimFolder b = task(far_task(2), 1);
    EXPECT_EQ(b.claim()->round, 2U);
}

TEST_F(ClaimFolderTest, StrangeFilesDoNoHarm) {
    ClaimFolder a = task(far_task(1), 3, 1);
    const auto claim = a.claim();
    ASSERT_TRUE(claim);
    const fs::path shard = dir_.path() / "claims" / "0000";
    std::ofstream(shard / "notes.txt") << "by hand";
    fs::create_directory(shard / "0000001.0.0.1.done");
    fs::create_symlink("/etc/passwd", shard / "0000007.0.0.1.waiting");  // no such problem
    std::ofstream(shard / ProblemState{.rank = claim->rank}.name());     // a copy that waits
    std::map<std::size_t, int> ranks;
    while (const auto more = a.claim()) {
        ++ranks[more->rank];
        a.finish(*more);
    }
    EXPECT_EQ(ranks, (std::map<std::size_t, int>{{1, 1}, {2, 1}}));
    a.finish(*claim);
    EXPECT_EQ(count(a), (std::map<Kind, int>{{Kind::done, 3}}));
}

TEST_F(ClaimFolderTest, RefusesAShardThatIsALink) {
    ClaimFolder a = task(far_task(1), 1, 1);
    fs::create_directory_symlink("/tmp", dir_.path() / "claims" / "0000");
    expect_error(ErrorKind::store, "0000", [&] { a.claim(); });
}

TEST_F(ClaimFolderTest, MakesAShardThatATaskLeftHalfMade) {
    const std::string dead = dead_task();
    fs::create_directory(dir_.path() / "unfinished" / ("shard.0000." + dead));
    ClaimFolder a = task(dead, 3, 1);
    EXPECT_EQ(a.claim()->rank, 0U);
    EXPECT_EQ(a.states().size(), 3U);
}

TEST_F(ClaimFolderTest, SaysWhatIsWrongWhereTheFolderHasGone) {
    ClaimFolder a = task(far_task(1), 3, 1);
    ASSERT_TRUE(a.claim());
    fs::remove_all(dir_.path() / "claims");
    expect_error(ErrorKind::store, "claims", [&] { a.claim(); });
}

TEST(SharedFolder, RefusesAFolderThatOthersMayWrite) {
    const TempDir dir;
    fs::permissions(dir.path(), fs::perms(0777));
    expect_error(ErrorKind::store, "others may write", [&] { SharedFolder::open(dir.path()); });
    fs::permissions(dir.path(), fs::perms(0700));
}

TEST(SharedFolder, TakesARenameAsDoneWhoseAnswerWasLost) {
    const TempDir dir;
    const SharedFolder folder = SharedFolder::open(dir.path());
    folder.touch("from");
    fs::rename(dir.path() / "from", dir.path() / "to");  // the server has done it
    EXPECT_TRUE(folder.rename("from", "to"));            // and is asked again
    EXPECT_FALSE(folder.rename("from", "another"));
}

TEST(SharedFolder, DeliversWholeFilesAndFetchesNoLinks) {
    const TempDir dir;
    const SharedFolder folder = SharedFolder::open(dir.path());
    const SharedFolder part = folder.make("part");
    folder.deliver(dir.write("from", std::string(200'000, 'x')), part, "to");
    EXPECT_TRUE(part.names().empty());
    EXPECT_EQ(fs::file_size(dir.path() / "to"), 200'000U);
    EXPECT_TRUE(folder.fetch("to", dir.path() / "copy"));
    EXPECT_EQ(fs::file_size(dir.path() / "copy"), 200'000U);
    fs::create_symlink(dir.path() / "to", dir.path() / "link");
    EXPECT_FALSE(folder.fetch("link", dir.path() / "copy"));
    fs::permissions(dir.path() / "to", fs::perms(0666));
    EXPECT_FALSE(folder.fetch("to", dir.path() / "copy"));
    ASSERT_EQ(::mkfifo((dir.path() / "pipe").c_str(), 0600), 0);
    EXPECT_FALSE(folder.fetch("pipe", dir.path() / "copy"));
}

TEST(SharedFolder, LeavesNothingBehindWhereAFileCannotBeWrittenWhole) {
    if (::access("/dev/full", W_OK) != 0) {
        GTEST_SKIP() << "no /dev/full";
    }
    const TempDir dir;
    const SharedFolder folder = SharedFolder::open(dir.path());
    const SharedFolder part = folder.make("part");
    fs::create_directory(dir.path() / "to");  // the last step fails: a folder has the name
    expect_error(ErrorKind::store, "name to",
                 [&] { folder.deliver(dir.write("from", "x"), part, "to"); });
    EXPECT_TRUE(part.names().empty());
    EXPECT_TRUE(fs::is_directory(dir.path() / "to"));
}

}  // namespace
}  // namespace jitune::internal
