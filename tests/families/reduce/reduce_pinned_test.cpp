// SPDX-License-Identifier: Apache-2.0
// Determinism::pinned through the public functions, on the fake driver.

#include <numeric>

#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "fake/fake_reduce.hpp"
#include "families/families.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/reduce_form.hpp"
#include "jitune/reduce.hpp"

namespace jitune::internal {
namespace {

constexpr std::size_t kPinnedCount = 20'001;

class ReducePinned : public testing::Test {
protected:
    ReducePinned() {
        fake_.on_launch = [](FakeLaunch& launch) {
            launch.nanoseconds = 1e6;
            return run_reduce(launch);
        };
        fake_.make_current(fake_.primary_context(0));
        Options options;
        options.database.clear();
        options.on_miss = TunePolicy::now;
        options.budget = std::chrono::milliseconds(4);
        options.log_level = LogLevel::off;
        std::vector<std::unique_ptr<Platform>> platforms;
        platforms.push_back(make_cuda_platform(fake_.tables(), Log(LogLevel::off)));
        session_ = SessionAccess::make(
            std::make_unique<Engine>(options, std::move(platforms), families()));
        std::iota(values_.begin(), values_.end(), 7);
    }

    std::int32_t right() const { return std::accumulate(values_.begin(), values_.end(), 0); }
    std::int32_t reduce(const Reduction& reduction) {
        return tuned_reduce(values_.data(), kPinnedCount, reduction, nullptr, *session_);
    }
    DispatchInfo info(const Reduction& reduction) {
        return prepare_reduce<std::int32_t>(kPinnedCount, reduction, {}, *session_).info();
    }
    void refuse(const Reduction& reduction, const std::string& why) {
        expect_error(ErrorKind::usage, why, [&] { reduce(reduction); });
    }
    static std::string text(std::string_view finish, ElementType type = ElementType::int32) {
        return ReduceForm().text(type, finish);
    }

    FakeCuda fake_;
    std::unique_ptr<Session> session_;
    std::vector<std::int32_t> values_ = std::vector<std::int32_t>(kPinnedCount);
};

TEST_F(ReducePinned, AnswersInTheConfigurationThatIsNamedWithoutTuning) {
    for (const std::string_view finish : kFinishes) {
        const std::string configuration = text(finish);
        const Reduction pinned(ReduceOp::sum, configuration);
        EXPECT_EQ(reduce(pinned), right()) << finish;
        EXPECT_EQ(info(pinned).origin, Origin::pinned);
        EXPECT_EQ(info(pinned).configuration, configuration);
    }
    EXPECT_EQ(session_->counters().tunings, 0);
    EXPECT_EQ(session_->counters().compiles, static_cast<std::int64_t>(std::size(kFinishes)));
}

TEST_F(ReducePinned, StandsBesideTheTunedAnswer) {
    const std::string configuration = text("two_launches");
    const Reduction pinned(ReduceOp::sum, configuration);
    EXPECT_EQ(reduce(pinned), right());
    EXPECT_EQ(reduce(ReduceOp::sum), right());
    EXPECT_NE(info(ReduceOp::sum).origin, Origin::pinned);
    EXPECT_EQ(info(pinned).configuration, configuration);
}

TEST_F(ReducePinned, TakesTheConfigurationOfATunedAnswer) {
    const std::string tuned = info(ReduceOp::sum).configuration;
    EXPECT_EQ(reduce({ReduceOp::sum, tuned}), right());
    EXPECT_EQ(info({ReduceOp::sum, tuned}).origin, Origin::pinned);
}

TEST_F(ReducePinned, RefusesMalformedConfigurations) {
    refuse({ReduceOp::sum, "fast"}, "expected parameter=value, found \"fast\"");
    refuse({ReduceOp::sum, "block=256"}, "parameter items_per_thread is missing");
    refuse({ReduceOp::sum, "speed=9"}, "unknown parameter \"speed\"");
    const std::string twice = text("ticket") + " block=256";
    refuse({ReduceOp::sum, twice}, "parameter block is given twice");
    std::string wrong = text("ticket");
    wrong.replace(wrong.find("256"), 3, "255");
    refuse({ReduceOp::sum, wrong}, "parameter block cannot be \"255\"");
    EXPECT_EQ(session_->counters().compiles, 0);
}

TEST_F(ReducePinned, RefusesAConfigurationThatIsNotLegal) {
    const std::string slots = text("slots");
    expect_error(ErrorKind::usage, "the template's constraints exclude it", [&] {
        return tuned_reduce<std::int64_t>(values_.data(), kPinnedCount, {ReduceOp::arg_min, slots},
                                          nullptr, *session_);
    });
    const std::vector<float> floats(kPinnedCount, 1);
    const std::string atomic = text("atomic", ElementType::float32);
    expect_error(ErrorKind::usage, "cannot be pinned", [&] {
        return tuned_reduce(floats.data(), kPinnedCount, {ReduceOp::sum, atomic}, nullptr,
                            *session_);
    });
}

TEST_F(ReducePinned, NeedsAConfiguration) {
    refuse({ReduceOp::sum, Determinism::pinned}, "DispatchInfo::configuration");
    refuse({ReduceOp::sum, std::string_view()}, "DispatchInfo::configuration");
}

}  // namespace
}  // namespace jitune::internal
