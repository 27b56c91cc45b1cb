// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answer/prepared_launch.hpp"

#include <atomic>
#include <vector>

#include "fixtures/await_tunings.hpp"
#include "fixtures/call_fixture.hpp"

namespace jitune::internal {
namespace {

class PreparedLaunchTest : public CallFixture {
protected:
    PreparedLaunchTest() : CallFixture(TunePolicy::offline) {}

    /// A handle for 1000 ones, whose default a winner then replaces.
    void with_a_late_winner(const std::function<void(const PreparedLaunch&)>& expect) {
        const auto engine = this->engine();
        const SumCall call(kernel_, ones_, sum_);
        const PreparedLaunch handle(*engine, device_, call);
        EXPECT_EQ(handle.info().configuration, kFakeDefault);
        const DispatchInfo& before = handle.info();
        const Problem problem = fake_sum_problem();
        this->engine()->tuner().tune({device_, kernel_, problem}, {});
        const auto other = this->engine();
        // As Background::replace() does.
        auto& table = const_cast<DispatchTable&>(engine->table());
        auto fresh = std::make_unique<Resolved>();
        const Resolved& winner = answer(*other);
        fresh->program = winner.program;
        fresh->rule = winner.rule;
        fresh->info = winner.info;
        fresh->serves = winner.serves;
        fresh->is_exchangeable = winner.is_exchangeable;
        EXPECT_TRUE(table.replace(call.table_key(device_), std::move(fresh)));
        handle(call.arguments().data(), nullptr);
        EXPECT_EQ(sum_, 1000);
        EXPECT_EQ(before.configuration, kFakeDefault) << "the text that a caller has kept";
        expect(handle);
    }

    const std::vector<std::int32_t> ones_ = std::vector<std::int32_t>(1000, 1);
    std::int32_t sum_ = 0;
};

TEST_F(PreparedLaunchTest, TakesALaterWinnerOfTheSameBits) {
    kernel_ = fake_sum_kernel("reproducibility = \"'exact'\"\n");
    kernel_.spec = {"sum"};
    with_a_late_winner(
        [](const PreparedLaunch& handle) { EXPECT_EQ(handle.info().configuration, kFastest); });
}

TEST_F(PreparedLaunchTest, KeepsItsBits) {
    with_a_late_winner([](const PreparedLaunch& handle) {
        EXPECT_EQ(handle.info().configuration, kFakeDefault)
            << "the order of a fixed configuration decides the bits";
    });
}

TEST_F(PreparedLaunchTest, SaysHowLongItWaitedAndWhetherATuningIsPending) {
    std::atomic<bool> may_sample{false};
    device_.before_sample = [&] {
        clock_.advance(may_sample ? std::chrono::seconds(0) : 2 * options_.budget);
        may_sample.wait(false);
    };
    const auto engine = this->engine(TunePolicy::now);
    const SumCall call(kernel_, ones_, sum_);
    const PreparedLaunch early(*engine, device_, call);
    EXPECT_TRUE(early.info().pending);
    EXPECT_GE(early.info().waited, options_.budget);
    may_sample = true;
    may_sample.notify_all();
    await_tunings(*engine);
    EXPECT_TRUE(early.info().pending) << "as it was when this answer was taken";
    const PreparedLaunch late(*engine, device_, call);
    EXPECT_EQ(late.info().origin, Origin::tuned);
    EXPECT_FALSE(late.info().pending);
    EXPECT_LT(late.info().waited, early.info().waited);
}

}  // namespace
}  // namespace jitune::internal
