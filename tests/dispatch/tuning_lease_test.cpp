// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/tuning_lease.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "fixtures/engine_fixture.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {
namespace {

using namespace std::chrono_literals;

class TuningLeaseTest : public EngineFixture {
protected:
    std::unique_ptr<TuningStore> open() {
        return TuningStore::open(options_.database, TuningStore::Access::read_write,
                                 Log(LogLevel::off));
    }
    RecordKey key() { return kernel_.kernel_template.key(fake_sum_problem(), device_.info()); }

    /// Makes the processes of a test start together.
    std::filesystem::path start_ = dir_.path() / "start";

    /// Runs `body` in as many processes and gives the exit codes that they end with.
    template <class Body>
    std::vector<int> run_together(int processes, Body body) {
        std::vector<pid_t> pids;
        for (int i = 0; i < processes; ++i) {
            pids.push_back(fork());
            if (pids.back() == 0) {
                while (!std::filesystem::exists(start_)) {
                    std::this_thread::sleep_for(1ms);
                }
                int code = 99;
                try {
                    code = body();
                } catch (const std::exception& error) {
                    fprintf(stderr, "child: %s\n", error.what());
                }
                _exit(code);
            }
        }
        std::ofstream(start_) << "go";
        std::vector<int> codes;
        for (const pid_t pid : pids) {
            int status = -1;
            waitpid(pid, &status, 0);
            codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        }
        return codes;
    }
};

TEST_F(TuningLeaseTest, LetsOneOfManyProcessesTuneAKey) {
    options_.budget = 20s;
    device_.before_sample = [] { std::this_thread::sleep_for(200us); };
    const std::vector<int> codes = run_together(12, [&] {
        const auto engine = make_engine();
        const Resolved& resolved = resolve(*engine);
        const bool right = resolved.info.configuration == kFastest;
        const bool tuned = resolved.info.origin == Origin::tuned;
        const bool consistent = engine->counters().tunings == (tuned ? 1 : 0) &&
                                (device_.compiles() > 0) == tuned &&
                                (tuned || resolved.info.origin == Origin::stored);
        return right && consistent ? int{tuned} : 50;
    });
    EXPECT_EQ(std::count(codes.begin(), codes.end(), 1), 1);
    EXPECT_EQ(std::count(codes.begin(), codes.end(), 0), 11);
    EXPECT_EQ(open()->winners().size(), 1U);
}

TEST_F(TuningLeaseTest, ManyProcessesTuneDifferentKeysAtOnce) {
    const std::vector<int> codes = run_together(6, [&] {
        const auto engine = make_engine();
        return resolve(*engine, std::int64_t{1} << (getpid() % 2 * 4)).info.origin == Origin::tuned;
    });
    EXPECT_EQ(std::count(codes.begin(), codes.end(), 1),
              static_cast<std::ptrdiff_t>(open()->winners().size()));
}

TEST_F(TuningLeaseTest, TheDefaultAnswersWhileAnotherProcessTunesForLonger) {
    const std::string other = process_identity() + " lease=other";
    open()->leases().take(key(), other, 120s);
    options_.budget = 60ms;
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::template_default);
    await([&] { return has_warned(); });
    EXPECT_EQ(engine->counters().tunings, 0);
    EXPECT_NE(warnings_[0].find("another process is tuning it"), std::string::npos) << warnings_[0];
}

TEST_F(TuningLeaseTest, IsTakenOverFromAKilledProcess) {
    const pid_t child = fork();
    if (child == 0) {
        open()->leases().take(key(), process_identity() + " lease=1", 120s);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    EXPECT_EQ(info(*make_engine()).origin, Origin::tuned);
}

/// Calls `prepare` first and is else the sum's.
class PreparedWorkload final : public Workload {
public:
    explicit PreparedWorkload(std::function<void()> prepare) : prepare_(std::move(prepare)) {}

    void prepare(const Problem& /*problem*/) const override { prepare_(); }
    [[nodiscard]] std::vector<Case> checks(const Problem& problem) const override {
        return sum_->checks(problem);
    }
    [[nodiscard]] Case timed(const Problem& problem) const override { return sum_->timed(problem); }

private:
    std::function<void()> prepare_;
    std::unique_ptr<const Workload> sum_ = fake_sum_workload();
};

std::function<void()> on_prepare;

constexpr Family kPreparedFamilies[] = {{"sum",
                                         [](std::span<const std::string>) {
                                             Kernel kernel = fake_sum_kernel();
                                             kernel.workload = std::make_unique<PreparedWorkload>(
                                                 [] { on_prepare(); });
                                             return kernel;
                                         },
                                         nullptr}};

TEST_F(TuningLeaseTest, IsNotHeldWhileTheWorkloadIsPrepared) {
    std::atomic<int> prepared = 0;
    on_prepare = [&] {
        ++prepared;
        EXPECT_EQ(open()->leases().holder(key(), "me", 120s), "");
    };
    kernel_.workload = std::make_unique<PreparedWorkload>([] { on_prepare(); });
    std::vector<std::unique_ptr<Platform>> platforms;
    platforms.push_back(
        std::make_unique<FakePlatform>(PlatformKind::cuda, std::vector<FakeDevice*>{&device_}));
    const auto engine = std::make_unique<Engine>(options_, std::move(platforms), kPreparedFamilies);
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    EXPECT_EQ(prepared, 1);
    EXPECT_EQ(info(*make_engine()).origin, Origin::stored);
    EXPECT_EQ(prepared, 1) << "a stored winner needs nothing";
    engine->tuner().tune({device_, kernel_, fake_sum_problem()}, {});
    EXPECT_GE(prepared, 2) << "the sizes around may have been tuned behind the call, too";
}

TEST_F(TuningLeaseTest, IsReleasedAfterATuning) {
    EXPECT_EQ(info(*make_engine()).origin, Origin::tuned);
    EXPECT_EQ(open()->leases().holder(key(), "me", 120s), "");
}

TEST_F(TuningLeaseTest, IsReleasedAfterAFailedTuning) {
    device_.otherwise.compile_log = device_.on(fake_sum(128, 4)).compile_log = "garbage";
    EXPECT_THROW(resolve(*make_engine()), Error);
    EXPECT_EQ(open()->leases().holder(key(), "me", 120s), "");
}

TEST_F(TuningLeaseTest, AsksForAnAnswerAgainOnceTaken) {
    const auto store = open();
    const Log log(LogLevel::off);
    TuningLease lease(store.get(), key(), log);
    int asked = 0;
    EXPECT_TRUE(lease.acquire([&] { return ++asked == 2; }, 1s, kNeverStop));
    EXPECT_EQ(store->leases().holder(key(), "me", 120s), "");
}

TEST_F(TuningLeaseTest, IsGrantedWithoutAWritableDatabase) {
    const Log log(LogLevel::off);
    const auto never = [] { return false; };
    TuningLease without(nullptr, key(), log);
    EXPECT_FALSE(without.acquire(never, 1s, kNeverStop));
    open();
    const auto reader =
        TuningStore::open(options_.database, TuningStore::Access::read_only, Log(LogLevel::off));
    TuningLease reading(reader.get(), key(), log);
    EXPECT_FALSE(reading.acquire(never, 1s, kNeverStop));
    reading.renew();
}

TEST_F(TuningLeaseTest, OfAnotherSessionOfThisProcessBlocksToo) {
    const auto store = open();
    const Log log(LogLevel::off);
    const auto never = [] { return false; };
    TuningLease first(store.get(), key(), log);
    EXPECT_FALSE(first.acquire(never, 1s, kNeverStop));
    TuningLease second(store.get(), key(), log);
    expect_error(ErrorKind::unavailable, "stopped while another process was tuning",
                 [&] { second.acquire(never, 0ms, std::atomic<bool>{true}); });
    expect_error(ErrorKind::unavailable, "another process is tuning it",
                 [&] { second.acquire(never, 30ms, kNeverStop); });
}

}  // namespace
}  // namespace jitune::internal
