// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <optional>

#include "fixtures/await_tunings.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "fixtures/reduce_form.hpp"
#include "jitune/reduce.hpp"

namespace jitune::internal {
namespace {

constexpr std::size_t kCount = 1'000'003;

/// Another order of their sum gives other bits.
template <class T>
std::vector<T> rounding_values() {
    std::vector<T> values(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        const auto magnitude = static_cast<T>(1) / static_cast<T>(i * 2654435761u % 99'991 + 1);
        values[i] = i % 3 == 0 ? -magnitude : magnitude;
    }
    return values;
}

class ReduceDeterminism : public GpuFixture {
protected:
    static std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
    static std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

    template <class T>
    void expect_same_bits(ReduceOp op, TunePolicy policy) {
        Session session(quick_options(policy));
        const DeviceArray<T> array(*driver_, rounding_values<T>(), 1);
        const T first = tuned_reduce(array.data(), kCount, op, nullptr, session);
        for (int i = 0; i < 1000; ++i) {
            const T again = tuned_reduce(array.data(), kCount, op, nullptr, session);
            ASSERT_EQ(bits(again), bits(first)) << again - first << " off in call " << i;
        }
    }

    void expect_refused(const Reduction& reduction, const std::string& why) {
        const DeviceArray<float> array(*driver_, std::vector<float>(100, 1));
        expect_error(ErrorKind::usage, why,
                     [&] { return tuned_reduce(array.data(), 100, reduction, nullptr, session_); });
        EXPECT_EQ(session_.counters().compiles, 0);
    }

    static std::string text(std::string_view finish) {
        return ReduceForm().text(ElementType::float32, finish);
    }
};

TEST_F(ReduceDeterminism, ATunedSumGivesTheSameBitsAThousandTimes) {
    expect_same_bits<float>(ReduceOp::sum, TunePolicy::now);
}
TEST_F(ReduceDeterminism, ATunedNormGivesTheSameBitsAThousandTimes) {
    expect_same_bits<double>(ReduceOp::norm, TunePolicy::now);
}
TEST_F(ReduceDeterminism, TheDefaultsSumOfSquaresGivesTheSameBitsAThousandTimes) {
    expect_same_bits<float>(ReduceOp::sum_of_squares, TunePolicy::template_default);
}

TEST_F(ReduceDeterminism, AnyMayTakeWhateverIsFastestAndIsRight) {
    Session session(quick_options(TunePolicy::now));
    const std::vector<float> values = rounding_values<float>();
    const DeviceArray<float> array(*driver_, values);
    double right = 0;
    for (const float value : values) {
        right += static_cast<double>(value);
    }
    const Reduction any(ReduceOp::sum, Determinism::any);
    for (int i = 0; i < 100; ++i) {
        ASSERT_NEAR(tuned_reduce(array.data(), kCount, any, nullptr, session), right, 1e-3);
    }
    await_tunings(session);
    ASSERT_NEAR(tuned_reduce(array.data(), kCount, any, nullptr, session), right, 1e-3);
    EXPECT_EQ(session.counters().tunings, 1);
    static_cast<void>(tuned_reduce(array.data(), kCount, ReduceOp::sum, nullptr, session));
    await_tunings(session);
    EXPECT_EQ(session.counters().tunings, 2) << "run_to_run is a problem of its own";
}

TEST_F(ReduceDeterminism, APinnedConfigurationGivesTheSameBitsInEverySession) {
    const DeviceArray<float> array(*driver_, rounding_values<float>());
    for (const char* finish : {"direct", "slots", "ticket", "two_launches"}) {
        std::optional<float> first;
        for (const TunePolicy policy : {TunePolicy::template_default, TunePolicy::now}) {
            Session session(quick_options(policy));
            // Tunes if the policy says so.
            static_cast<void>(tuned_reduce(array.data(), kCount, ReduceOp::sum, nullptr, session));
            const std::string configuration = text(finish);
            const Reduction pinned(ReduceOp::sum, configuration);
            const float sum = tuned_reduce(array.data(), kCount, pinned, nullptr, session);
            EXPECT_EQ(bits(sum), bits(first.value_or(sum))) << finish;
            first = sum;
            const auto info = prepare_reduce<float>(kCount, pinned, {}, session).info();
            EXPECT_EQ(info.origin, Origin::pinned);
            EXPECT_EQ(info.configuration, configuration);
        }
    }
}

TEST_F(ReduceDeterminism, AReportedConfigurationCanBePinned) {
    const DeviceArray<double> array(*driver_, rounding_values<double>());
    const std::string answered =
        prepare_reduce<double>(kCount, ReduceOp::sum, {}, session_).info().configuration;
    const double sum = tuned_reduce(array.data(), kCount, ReduceOp::sum, nullptr, session_);
    const Reduction pinned(ReduceOp::sum, answered);
    EXPECT_EQ(bits(tuned_reduce(array.data(), kCount, pinned, nullptr, session_)), bits(sum));
}

TEST_F(ReduceDeterminism, AFinishThatDependsOnTimingCannotBePinned) {
    const std::string atomic = text("atomic");
    expect_refused({ReduceOp::sum, atomic}, "cannot be pinned");
}

TEST_F(ReduceDeterminism, AnAtomicFinishOfIntegersIsExactAndCanBePinned) {
    const DeviceArray<std::int32_t> array(*driver_, std::vector<std::int32_t>(kCount, -3));
    const std::string atomic = ReduceForm().text(ElementType::int32, "atomic");
    const Reduction pinned(ReduceOp::sum, atomic);
    EXPECT_EQ(tuned_reduce(array.data(), kCount, pinned, nullptr, session_),
              -3 * static_cast<std::int32_t>(kCount));
}

TEST_F(ReduceDeterminism, MalformedConfigurationsAreRefused) {
    expect_refused({ReduceOp::sum, "the fastest, please"},
                   "expected parameter=value, found \"the\"");
    expect_refused({ReduceOp::sum, "block=256"}, "parameter items_per_thread is missing");
    std::string wrong = text("ticket");
    wrong.replace(wrong.find("256"), 3, "255");
    expect_refused({ReduceOp::sum, wrong}, "parameter block cannot be \"255\"");
    const std::string packed = text("packed");
    expect_refused({ReduceOp::sum, packed}, "the template's constraints exclude it");
}

TEST_F(ReduceDeterminism, PinnedNeedsAConfiguration) {
    expect_refused({ReduceOp::sum, Determinism::pinned}, "DispatchInfo::configuration");
    expect_refused({ReduceOp::sum, std::string_view()}, "DispatchInfo::configuration");
}

}  // namespace
}  // namespace jitune::internal
