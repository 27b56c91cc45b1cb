// SPDX-License-Identifier: Apache-2.0
// The public API on the machine itself: compiles, tunes, stores and dispatches for real.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "families/reduce/reduce_reference.hpp"
#include "fixtures/await_tunings.hpp"
#include "fixtures/expect_error.hpp"
#include "jitune/reduce_shapes.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kAnswerOnly = "--answer-from-the-store";

Options options_for(const std::filesystem::path& database) {
    Options options;
    options.database = database;
    options.on_miss = TunePolicy::now;
    options.budget = std::chrono::milliseconds(300);
    options.log_level = LogLevel::error;
    return options;
}

template <class T>
std::vector<T> values_of(std::size_t n) {
    std::mt19937_64 random(n);
    std::vector<T> values(n);
    for (T& value : values) {
        if constexpr (std::is_floating_point_v<T>) {
            value = static_cast<T>(static_cast<int>(random() % 513) - 256) / 256;
        } else {
            value = static_cast<T>(random());
        }
    }
    return values;
}

template <class T>
class ReduceHost : public testing::Test {
protected:
    void expect_right(Session& session, const std::vector<T>& values, ReduceOp op) {
        const T got = tuned_reduce(values, op, session);
        const auto layout = layout_of(ReduceKind::all, 1, static_cast<std::int64_t>(values.size()));
        const Expected expected = reduce_reference({kElementType<T>, op, kElementType<T>}, layout,
                                                   std::as_bytes(std::span(values)));
        EXPECT_EQ(compare(expected, std::as_bytes(std::span(&got, 1))), "")
            << to_string(kElementType<T>) << " " << to_string(op) << " n=" << values.size();
    }
};

using Types = testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(ReduceHost, Types);

constexpr ReduceOp kOps[] = {ReduceOp::sum, ReduceOp::min, ReduceOp::max};

TYPED_TEST(ReduceHost, GivesTheReferencesAnswerForEachOperation) {
    TempDir dir;
    Session session(options_for(dir.path() / "tuning.db"));
    for (const ReduceOp op : kOps) {
        this->expect_right(session, values_of<TypeParam>(1'000'003), op);
    }
    await_tunings(session);
    EXPECT_EQ(session.counters().tunings, 3);
    EXPECT_EQ(session.counters().store_errors, 0);
    for (const ReduceOp op : kOps) {
        this->expect_right(session, values_of<TypeParam>(1'000'003), op);
    }
}

TYPED_TEST(ReduceHost, GivesTheReferencesAnswerForEachSize) {
    Options options = options_for({});
    options.on_miss = TunePolicy::template_default;
    Session session(options);
    for (const ReduceOp op : kOps) {
        for (const std::size_t n :
             {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 255, 1023, 4097, 70'001, 300'007}) {
            this->expect_right(session, values_of<TypeParam>(n), op);
        }
    }
    EXPECT_EQ(session.counters().tunings, 0);
}

TYPED_TEST(ReduceHost, GivesTheIdentityOfNothingWithoutALaunch) {
    using Limits = std::numeric_limits<TypeParam>;
    Session session(options_for({}));
    const auto of_nothing = [&](ReduceOp op) {
        return tuned_reduce(std::span<const TypeParam>(), op, session);
    };
    constexpr bool kInfinite = Limits::has_infinity;
    EXPECT_EQ(of_nothing(ReduceOp::sum), TypeParam{0});
    EXPECT_EQ(of_nothing(ReduceOp::min), kInfinite ? Limits::infinity() : Limits::max());
    EXPECT_EQ(of_nothing(ReduceOp::max), kInfinite ? -Limits::infinity() : Limits::lowest());
    EXPECT_EQ(session.counters().compiles, 0);
}

TYPED_TEST(ReduceHost, AnswersNanWhereverOneIs) {
    if constexpr (std::is_floating_point_v<TypeParam>) {
        Options options = options_for({});
        options.on_miss = TunePolicy::template_default;
        Session session(options);
        for (const std::size_t n : {1, 5, 64, 1027, 70'001}) {
            for (const std::size_t spot : {std::size_t{0}, n / 2, n - 1}) {
                auto values = values_of<TypeParam>(n);
                values[spot] = std::numeric_limits<TypeParam>::quiet_NaN();
                for (const ReduceOp op : kOps) {
                    EXPECT_TRUE(std::isnan(tuned_reduce(values, op, session)))
                        << n << " " << spot << " " << to_string(op);
                }
            }
        }
    } else {
        GTEST_SKIP() << "integers have no NaN";
    }
}

class ReduceHostSession : public testing::Test {
protected:
    TempDir dir_;
    Options options_ = options_for(dir_.path() / "tuning.db");
    const std::vector<float> values_ = values_of<float>(1 << 20);
    const std::span<const float> span_{values_};
};

TEST_F(ReduceHostSession, RefusesPointersItCannotRead) {
    Session session(options_);
    const auto* misaligned =
        reinterpret_cast<const float*>(reinterpret_cast<const char*>(values_.data()) + 1);
    const float* null = nullptr;
    expect_error(ErrorKind::usage, "not aligned to 4 bytes",
                 [&] { return tuned_reduce(std::span(misaligned, 100), ReduceOp::sum, session); });
    expect_error(ErrorKind::usage, "null pointer",
                 [&] { return tuned_reduce(std::span(null, 100), ReduceOp::sum, session); });
    expect_error(ErrorKind::usage, "at most 2^40", [&] {
        return tuned_reduce(std::span(values_.data(), (std::size_t{1} << 40) + 1), ReduceOp::sum,
                            session);
    });
    EXPECT_EQ(session.counters().compiles, 0);
}

TEST_F(ReduceHostSession, TunesOnceAndThenOnlyLaunches) {
    Session session(options_);
    static_cast<void>(tuned_reduce(span_, ReduceOp::sum, session));
    await_tunings(session);
    const float first = tuned_reduce(span_, ReduceOp::sum, session);
    const Counters after_first = session.counters();
    EXPECT_EQ(after_first.tunings, 1);
    EXPECT_GE(after_first.compiles, 1);
    EXPECT_EQ(tuned_reduce(span_, ReduceOp::sum, session), first);
    EXPECT_EQ(session.counters().compiles, after_first.compiles);
    EXPECT_EQ(tuned_reduce(span_.first(span_.size() - 5), ReduceOp::max, session), 1);
    await_tunings(session);
    EXPECT_EQ(session.counters().tunings, 2);
    const auto prepared = prepare_reduce<float>(values_.size(), ReduceOp::sum, "host", session);
    EXPECT_EQ(prepared.info().origin, Origin::tuned);
    EXPECT_EQ(prepared.info().device, "host");
    float result = 0;
    prepared(values_.data(), &result, nullptr);
    EXPECT_EQ(result, first);
    EXPECT_EQ(session.counters().tunings, 2);
}

TEST_F(ReduceHostSession, PreparesTheReductionOfNothing) {
    Session session(options_);
    const auto prepared = prepare_reduce<float>(0, ReduceOp::min, "host", session);
    float result = 0;
    prepared(nullptr, &result, nullptr);
    EXPECT_EQ(result, std::numeric_limits<float>::infinity());
    expect_error(ErrorKind::usage, "null pointer", [&] { prepared(nullptr, nullptr, nullptr); });
    EXPECT_EQ(session.counters().compiles, 0);
}

TEST_F(ReduceHostSession, ANewProcessDispatchesWithoutCompiling) {
    const float expected = [&] {
        Session session(options_);
        static_cast<void>(tuned_reduce(span_, ReduceOp::sum, session));
        await_tunings(session);
        return tuned_reduce(span_, ReduceOp::sum, session);
    }();
    ProcessCommand again;
    again.program = std::filesystem::read_symlink("/proc/self/exe");
    again.arguments = {kAnswerOnly, options_.database.string(), fmt::format("{}", expected)};
    // No compiler is to be found there.
    again.environment = {"PATH=/nowhere", "CXX=/nowhere/c++"};
    const ProcessResult result = run_process(again);
    EXPECT_TRUE(result.succeeded()) << describe_end(result) << "\n" << result.output;
}

TEST_F(ReduceHostSession, ManyThreadsAtFirstTouchTuneOnce) {
    options_.budget = std::chrono::milliseconds(0);  // nobody gives up waiting
    Session session(options_);
    std::vector<float> answers(64);
    std::vector<std::thread> threads;
    for (float& answer : answers) {
        threads.emplace_back([&] { answer = tuned_reduce(span_, ReduceOp::sum, session); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(session.counters().tunings, 1);
    EXPECT_EQ(answers, std::vector<float>(64, answers[0]));
    EXPECT_EQ(answers[0], tuned_reduce(span_, ReduceOp::sum, session));
}

TEST_F(ReduceHostSession, UsesTheDefaultWhereTheEnvironmentSaysSo) {
    ASSERT_EQ(setenv("JITUNE_TUNE", "default", 1), 0);
    ASSERT_EQ(setenv("JITUNE_DB", "none", 1), 0);
    Session session;
    unsetenv("JITUNE_TUNE");
    unsetenv("JITUNE_DB");
    EXPECT_EQ(tuned_reduce(span_, ReduceOp::max, session), 1);
    EXPECT_EQ(session.counters().tunings, 0);
    EXPECT_EQ(session.counters().compiles, 0) << "the default comes compiled";
    const auto prepared = prepare_reduce<float>(values_.size(), ReduceOp::max, "host", session);
    EXPECT_EQ(prepared.info().origin, Origin::rule);
}

TEST_F(ReduceHostSession, ShowsTheHostAmongItsDevices) {
    Session session(options_);
    const auto devices = session.devices();
    const auto host = std::find_if(devices.begin(), devices.end(),
                                   [](const DeviceDescription& one) { return one.id == "host"; });
    ASSERT_NE(host, devices.end());
    EXPECT_EQ(host->missing, "");
    EXPECT_NE(host->device_class, "");
}

/// What the new process does: 0 if it answers as expected, from the store, without a compiler.
int answer_from_store(const char* database, const char* expected) {
    Session session(options_for(database));
    const auto values = values_of<float>(1 << 20);
    const float answer = tuned_reduce(values, ReduceOp::sum, session);
    const auto prepared = prepare_reduce<float>(values.size(), ReduceOp::sum, "host", session);
    const Counters counters = session.counters();
    fmt::print("answer {} origin {} compiles {} tunings {} loads {}\n", answer,
               to_string(prepared.info().origin), counters.compiles, counters.tunings,
               counters.loads);
    const bool right = fmt::format("{}", answer) == expected &&
                       prepared.info().origin == Origin::stored && counters.compiles == 0 &&
                       counters.tunings == 0 && counters.loads == 1;
    return right ? 0 : 1;
}

TEST(ReduceHostShapes, RefusesBadMatrixSizesAndOffsets) {
    Options options = options_for({});
    options.on_miss = TunePolicy::template_default;
    Session session(options);
    const std::vector<float> values(1000, 1);
    const auto refused = [&](const char* words, const std::vector<std::int64_t>& offsets) {
        expect_error(ErrorKind::usage, words, [&] {
            return tuned_reduce_segments(values, offsets, ReduceOp::sum, session);
        });
    };
    refused("no offsets", {});
    refused("must not decrease", {0, 5, 4});
    refused("lie in [0, 1000]", {0, 1001});
    expect_error(ErrorKind::usage, "got 1000 values for a 3 x 5 matrix",
                 [&] { return tuned_reduce_rows(values, 3, 5, ReduceOp::sum, session); });
    expect_error(ErrorKind::usage, "at most 2^40", [&] {
        return tuned_reduce_rows(values, std::int64_t{1} << 62, 0, ReduceOp::sum, session);
    });
    expect_error(ErrorKind::usage, "-5 x -200 elements: counts must not be negative",
                 [&] { return tuned_reduce_columns(values, -5, -200, ReduceOp::sum, session); });
    const auto prepared =
        prepare_reduce_segments<float>(values.size(), 2, ReduceOp::sum, "host", session);
    const std::int64_t wild[] = {0, 4'000'000'000, 4'000'000'000};
    float sums[2];
    expect_error(ErrorKind::usage, "lie in [0, 1000]",
                 [&] { prepared(values.data(), wild, sums, nullptr); });
}

}  // namespace
}  // namespace jitune::internal

int main(int argc, char** argv) {
    if (argc == 4 && std::string_view(argv[1]) == jitune::internal::kAnswerOnly) {
        return jitune::internal::answer_from_store(argv[2], argv[3]);
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
