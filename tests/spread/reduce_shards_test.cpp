// SPDX-License-Identifier: Apache-2.0
// tuned_reduce() of arrays on several GPUs, on the fake driver.

#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "families/reduce/reduce_reference.hpp"
#include "families/reduce/reduce_types.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/shards_fixture.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal {
namespace {

using Counts = std::vector<std::int64_t>;

class ReduceShards : public ShardsFixture {
protected:
    /// What one GPU would answer.
    template <class R, class T>
    static R right(const std::vector<T>& values, ReduceOp op) {
        const auto n = static_cast<std::int64_t>(values.size());
        const Expected expected =
            reduce_reference({kElementType<T>, op, kElementType<R>},
                             layout_of(ReduceKind::all, 1, n), std::as_bytes(std::span(values)));
        R result{};
        std::memcpy(&result, expected.values.data(), sizeof result);
        return result;
    }

    template <class R, class T>
    void expect_right(const std::vector<T>& values, const Counts& counts, ReduceOp op) {
        SCOPED_TRACE(std::string(to_string(op)) + " " + testing::PrintToString(counts));
        const auto shards = shards_of(values, counts);
        const R wanted = right<R>(values, op);
        const R got = tuned_reduce<R>(shards, op, *session_);
        if (op == ReduceOp::norm && wanted == wanted) {  // its parts are rounded, too
            EXPECT_NEAR(static_cast<double>(got / wanted), 1, sizeof(R) == 4 ? 2e-7 : 4e-16);
        } else {
            EXPECT_TRUE(got == wanted || (got != got && wanted != wanted)) << got << " " << wanted;
        }
        if (op == ReduceOp::mean || op == ReduceOp::arg_min || op == ReduceOp::arg_max) {
            return;
        }
        const auto results = arrays_of<R>(Counts(counts.size(), 1));
        tuned_reduce(shards, results, op, *session_);
        write_over(shards);
        for (std::size_t i = 0; i < shards.size(); ++i) {
            const R here = read(results[i], 1, shards[i])[0];
            EXPECT_EQ(std::memcmp(&here, &got, sizeof here), 0) << "GPU " << i;
        }
    }

    /// Of every operation whose parts tell the whole, in the type that it answers in.
    template <class T>
    void expect_all_right(const std::vector<T>& values, const Counts& counts) {
        for (const ReduceOpRow& row : reduce_operations()) {
            if (!row.joined_by) {
                continue;
            }
            visit_element(results_of(kElementType<T>, row.value).front(), [&]<class R>(R) {
                if constexpr (std::is_arithmetic_v<R>) {
                    expect_right<R>(values, counts, row.value);
                }
            });
        }
    }
};

const Counts kReducedCounts[] = {{40}, {1, 30, 9}, {0, 39, 0, 1}};

TEST_F(ReduceShards, AnswerAsOneArrayDoes) {
    std::vector<std::int32_t> integers(40);
    std::iota(integers.begin(), integers.end(), -17);
    std::vector<float> floats(integers.begin(), integers.end());
    std::vector<std::uint8_t> bytes(40, 1);
    bytes[33] = 3;
    for (const Counts& counts : kReducedCounts) {
        expect_all_right<std::int32_t>(integers, counts);
        expect_all_right<float>(floats, counts);
        expect_all_right<std::uint8_t>(bytes, counts);
    }
}

TEST_F(ReduceShards, RoundResultsOf16BitsOnce) {
    std::vector<float16> values;
    for (int i = 0; i < 40; ++i) {
        values.emplace_back(static_cast<float>(i % 7) + 1024.0F);  // sums of parts round
    }
    const auto shards = shards_of(values, {1, 30, 9});
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::mean, ReduceOp::norm, ReduceOp::max}) {
        EXPECT_EQ(tuned_reduce<float16>(shards, op, *session_).bits,
                  right<float16>(values, op).bits)
            << to_string(op);
    }
    const auto maxima = arrays_of<float16>({1, 1, 1});
    tuned_reduce(shards, maxima, ReduceOp::max, *session_);
    EXPECT_EQ(read(maxima[2], 1, shards[2])[0].bits, float16(1030.0F).bits);
    expect_error(ErrorKind::usage,
                 "sum as float16 cannot be computed on every GPU: ask for float32",
                 [&] { tuned_reduce(shards, maxima, ReduceOp::sum, *session_); });
}

TEST_F(ReduceShards, KeepTheRulesOfExtremes) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> floats(40, 2.0F);
    for (const Counts& counts : kReducedCounts) {
        floats.assign(40, 2.0F);  // of equal ones the first
        expect_all_right<float>(floats, counts);
        floats[25] = floats[39] = kNan;  // the first NaN wins
        expect_all_right<float>(floats, counts);
    }
    std::vector<std::int32_t> integers(40, std::numeric_limits<std::int32_t>::min());
    expect_all_right<std::int32_t>(integers, {13, 27});
    std::vector<std::int64_t> wide(40, (std::int64_t{1} << 53) + 1);  // no double is that
    wide[30] -= 1;
    expect_right<std::int64_t>(wide, {20, 20}, ReduceOp::arg_min);
    expect_right<std::int64_t>(wide, {20, 20}, ReduceOp::max);
}

TEST_F(ReduceShards, CombineInTheShardsOrder) {
    const std::vector<float> values{1.0F, 2.0F, 4.0F, 8.0F};
    const auto shards = shards_of(values, {1, 1, 2});
    std::vector<std::vector<float>> combined;
    std::set<std::string> kernels;
    fake_.on_launch = [&](FakeLaunch& launch) {
        if (launch.arguments.at(1) == 3) {
            const auto* slots = reinterpret_cast<const float*>(launch.arguments.at(0));
            combined.emplace_back(slots, slots + 3);
            kernels.insert(launch.expression);
        }
        return run_family(fake_, launch);
    };
    const auto results = arrays_of<float>({1, 1, 1});
    tuned_reduce(shards, results, ReduceOp::sum, *session_);
    EXPECT_EQ(combined, std::vector(3, std::vector{1.0F, 2.0F, 12.0F}));
    EXPECT_EQ(kernels.size(), 1U);
}

TEST_F(ReduceShards, GiveTheSameBitsWhereGpusWouldCombineInOtherConfigurations) {
    std::map<int, std::set<std::string>> combining;
    fake_.on_launch = [&](FakeLaunch& launch) {
        const bool wide = launch.block.x > 256;
        launch.nanoseconds = wide == (launch.device == 0) ? 1e5 : 4e5;
        if (launch.arguments.at(1) == 2) {
            combining[launch.device].insert(launch.expression);
        }
        return run_family(fake_, launch);
    };
    const auto shards = shards_of(std::vector<float>(90, 1.0F), {50, 40});
    const auto sums = arrays_of<float>({1, 1});
    fake_.order().watch(false);  // tuning does not touch the app's memory, and is long
    fake_.device(1).attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = 100;  // another class
    start(fake_.tables(), TunePolicy::now);
    tuned_reduce(shards, sums, ReduceOp::sum, *session_);
    combining.clear();
    tuned_reduce(shards, sums, ReduceOp::sum, *session_);
    EXPECT_EQ(combining[0].size(), 1U);
    EXPECT_EQ(combining[0], combining[1]);
    for (int gpu = 0; gpu < 2; ++gpu) {
        fake_.make_current(fake_.primary_context(gpu));
        const auto own = prepare_reduce<float>(2, ReduceOp::sum, {}, *session_);
        EXPECT_EQ(own.info().configuration.find(gpu == 0 ? "block=256" : "block=512"),
                  std::string::npos)
            << own.info().configuration;
    }
    fake_.make_current(nullptr);
}

/// The fixture finds what is in no order.
TEST_F(ReduceShards, ShareTheWorkMemoryOfStencilsInOrder) {
    const std::vector<float> values(90, 1.0F);
    const auto shards = shards_of(values, {30, 40, 20});
    const auto outputs = arrays_of<float>({90, 90, 90});
    const auto sums = arrays_of<float>({1, 1, 1});
    for (int again = 0; again < 3; ++again) {
        tuned_stencil(shards, outputs, {.radius = 4, .boundary = Boundary::zero}, ShardOutput::all,
                      *session_);
        tuned_reduce(shards, sums, ReduceOp::sum, *session_);
        EXPECT_EQ(tuned_reduce(shards, ReduceOp::sum, *session_), 90.0F);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(read(sums[i], 1, shards[i])[0], 90.0F);
        EXPECT_EQ(read(outputs[i], 90, shards[i])[45], 9.0F);
    }
}

TEST_F(ReduceShards, LaunchOnAllGpusBeforeTheyWaitForOne) {
    const std::vector<std::int32_t> values(90, 1);
    const auto shards = shards_of(values, {30, 30, 30});
    EXPECT_EQ(tuned_reduce(shards, ReduceOp::sum, *session_), 90);
    std::vector<int> waits;
    fake_.on_launch = [&](FakeLaunch& launch) {
        waits.push_back(fake_.calls("cuStreamSynchronize"));
        return run_family(fake_, launch);
    };
    const int before = fake_.calls("cuStreamSynchronize");
    EXPECT_EQ(tuned_reduce(shards, ReduceOp::sum, *session_), 90);
    EXPECT_EQ(waits, (std::vector<int>{before, before, before}));
}

TEST_F(ReduceShards, NoElementsGiveTheValueOfNothing) {
    const std::vector<Shard<float>> none{{nullptr, 0}, {nullptr, 0}};
    EXPECT_EQ(tuned_reduce(none, ReduceOp::product, *session_), 1.0F);
    EXPECT_TRUE(std::isnan(tuned_reduce(none, ReduceOp::mean, *session_)));
    expect_error(ErrorKind::usage, "arg_min of no elements",
                 [&] { return tuned_reduce<std::int64_t>(none, ReduceOp::arg_min, *session_); });
    const std::vector<Shard<float>> empty{{nullptr, 0, stream_on(0)}, {nullptr, 0, stream_on(1)}};
    const auto results = arrays_of<float>({1, 1});
    tuned_reduce(empty, results, ReduceOp::min, *session_);
    EXPECT_EQ(read(results[1], 1, empty[1])[0], std::numeric_limits<float>::infinity());
}

TEST_F(ReduceShards, RefuseInvalidRequests) {
    const std::vector<float> values(10, 1.0F);
    auto shards = shards_of(values, {4, 6});
    const auto results = arrays_of<float>({1, 1});
    const auto all = std::span<float* const>(results);
    const CustomOperation custom{.name = "one",
                                 .definitions = {},
                                 .state = "float",
                                 .identity = "0",
                                 .map = "x",
                                 .combine = "a + b"};
    const auto refused = [&](const std::string& text, auto call) {
        expect_error(ErrorKind::usage, text, call);
    };
    refused("\"custom\" cannot be combined",
            [&] { return tuned_reduce<float>(shards, custom, *session_); });
    refused("mean cannot be computed on every GPU",
            [&] { return tuned_reduce(shards, all, ReduceOp::mean, *session_); });
    refused("arg_max cannot be computed on every GPU",
            [&] { return tuned_reduce(shards, all, ReduceOp::arg_max, *session_); });
    refused("1 outputs for 2 shards",
            [&] { return tuned_reduce(shards, all.first(1), ReduceOp::sum, *session_); });
    refused("sum of float32 gives",
            [&] { return tuned_reduce<std::int32_t>(shards, ReduceOp::sum, *session_); });
    refused("mean of float32 gives",
            [&] { return tuned_reduce<std::int64_t>(shards, ReduceOp::mean, *session_); });
    const std::vector<float*> nowhere{results[0], nullptr};
    refused("the result is a null pointer",
            [&] { tuned_reduce(shards, nowhere, ReduceOp::sum, *session_); });
    shards[1].data = nullptr;
    refused("the input is a null pointer",
            [&] { return tuned_reduce<float>(shards, ReduceOp::sum, *session_); });
    shards.clear();
    refused("no shards were given",
            [&] { return tuned_reduce<float>(shards, ReduceOp::sum, *session_); });
    EXPECT_TRUE(fake_.launches().empty());
}

}  // namespace
}  // namespace jitune::internal
