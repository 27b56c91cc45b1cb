// SPDX-License-Identifier: Apache-2.0
#include "fixtures/await_tunings.hpp"
#include "fixtures/custom_operations.hpp"
#include "fixtures/expect_error.hpp"
#include "jitune/reduce.hpp"
#include "jitune/reduce_shapes.hpp"

namespace jitune::internal {
namespace {

class ReduceHostCustom : public testing::Test {
protected:
    static Options default_only() {
        Options options;
        options.database.clear();
        options.on_miss = TunePolicy::template_default;
        options.worker = "none";
        return options;
    }

    CustomOperation operation_ = log_sum_exp("__builtin_expf", "__builtin_logf");
    Session session_{default_only()};
};

TEST_F(ReduceHostCustom, LogSumExpIsRight) {
    for (const std::size_t n : {1u, 2u, 33u, 4097u, 1'048'583u}) {
        const std::vector<float> values = logits(n);
        const double right = log_sum_exp_of(values);
        const double got = static_cast<double>(tuned_reduce(values, operation_, session_));
        EXPECT_NEAR(got, right, 1e-4 * std::abs(right) + 1e-5) << n;
    }
}

TEST_F(ReduceHostCustom, AnIntegerOperationIsExactAndIsTunedAgainstItself) {
    Options options = default_only();
    options.on_miss = TunePolicy::now;
    options.budget = std::chrono::milliseconds(300);
    Session session(options);
    const CustomOperation operation = indexed_xor();
    const auto values = any_bits<std::int32_t>(300'007);
    EXPECT_EQ(tuned_reduce<std::uint64_t>(values, operation, session), indexed_xor_of(values));
    await_tunings(session);
    EXPECT_EQ(session.counters().tunings, 1);
    EXPECT_EQ(tuned_reduce<std::uint64_t>(values, operation, session), indexed_xor_of(values));
}

TEST_F(ReduceHostCustom, AWrappingSumCountsEachElementInEveryShape) {
    const CustomOperation sum = wrapping_sum();
    for (const std::int64_t n : {100, 4096, 32'768, 70'001}) {
        SCOPED_TRACE(n);
        const auto count = static_cast<std::int32_t>(n);
        const std::vector<std::int32_t> ones(static_cast<std::size_t>(n), 1);
        EXPECT_EQ(tuned_reduce(ones, sum, session_), count);
        EXPECT_EQ(tuned_reduce_rows(ones, 1, n, sum, session_).front(), count);
        EXPECT_EQ(tuned_reduce_columns(ones, n, 1, sum, session_).front(), count);
        EXPECT_EQ(tuned_reduce_columns(std::span(ones).first(ones.size() / 4 * 4), n / 4, 4, sum,
                                       session_)
                      .front(),
                  n / 4);
        const std::vector<std::int64_t> offsets{0, n / 3, n};
        EXPECT_EQ(tuned_reduce_segments(ones, offsets, sum, session_).back(), n - n / 3);
    }
}

TEST_F(ReduceHostCustom, AFaultyFieldIsNamedWithTheCompilersWords) {
    CustomOperation broken = operation_;
    broken.map = "Pair{x, colour}";
    const std::vector<float> values(100, 1);
    for (const char* words : {"log_sum_exp.map", "colour"}) {
        expect_error(ErrorKind::compile, words,
                     [&] { return tuned_reduce(values, broken, session_); });
    }
}

TEST_F(ReduceHostCustom, AStateThatIsTooLargeDoesNotCompile) {
    CustomOperation large = operation_;
    large.definitions = "struct Pair { float top, sum; double more[4]; };";
    const std::vector<float> values(100, 1);
    expect_error(ErrorKind::compile, "has 1 to 4, 8, 12 or 16 bytes",
                 [&] { return tuned_reduce(values, large, session_); });
}

TEST_F(ReduceHostCustom, ItsNamesMayBeThoseOfJitune) {
    CustomOperation named = operation_;
    named.definitions = "struct Index { float T; }; using Sum = Index;";
    named.state = "Sum";
    named.identity = "Index{0}";
    named.map = "Index{x}";
    named.combine = "Index{a.T + b.T}";
    named.finish = "a.T / n";
    EXPECT_EQ(tuned_reduce(std::vector<float>(100'000, 3), named, session_), 3);
}

TEST_F(ReduceHostCustom, AnotherResultIsRefusedAlsoAfterACallThatWasRight) {
    const std::vector<float> values(100, 1);
    static_cast<void>(tuned_reduce(values, operation_, session_));
    CustomOperation wide = operation_;
    wide.result = ElementType::float64;
    expect_error(ErrorKind::usage, "log_sum_exp gives float64, not float32",
                 [&] { return tuned_reduce(values, wide, session_); });
}

TEST_F(ReduceHostCustom, AnEmptyFieldIsRefusedByItsName) {
    CustomOperation empty = operation_;
    empty.identity = "";
    const std::vector<float> values(100, 1);
    expect_error(ErrorKind::usage, "its identity is empty",
                 [&] { return tuned_reduce(values, empty, session_); });
    expect_error(ErrorKind::usage, "custom of no elements is undefined",
                 [&] { return tuned_reduce(std::vector<float>(), operation_, session_); });
}

}  // namespace
}  // namespace jitune::internal
