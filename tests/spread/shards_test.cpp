// SPDX-License-Identifier: Apache-2.0
// tuned_stencil() and tuned_entropy() of arrays on several GPUs, on the fake driver.

#include <numeric>
#include <thread>

#include "fixtures/entropy_case.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/shards_fixture.hpp"
#include "fixtures/stencil_case.hpp"

namespace jitune::internal {
namespace {

using Counts = std::vector<std::int64_t>;

const Counts kCounts[] = {{40, 41},  {97},      {37, 11, 13}, {9, 0, 30},    {1, 1, 1, 1, 50},
                          {2, 3, 2}, {5, 5, 5}, {1, 1},       {100, 100, 1}, {0, 7, 0, 60}};

class Shards : public ShardsFixture {
protected:
    template <class T>
    void expect_stencil(const Counts& counts, const Stencil& stencil, ShardOutput wanted) {
        const std::int64_t n = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
        std::vector<T> input(static_cast<std::size_t>(n));
        std::iota(input.begin(), input.end(), T{3});
        const auto shards = shards_of(input, counts);
        const Counts own = stencil_outputs(shards, stencil);
        const std::int64_t all = stencil_outputs(n, stencil);
        const auto outputs =
            arrays_of<T>(wanted == ShardOutput::own ? own : Counts(counts.size(), all));
        tuned_stencil(shards, outputs, stencil, wanted, *session_);
        write_over(shards);
        std::vector<T> got;
        for (std::size_t i = 0; i < shards.size(); ++i) {
            if (wanted == ShardOutput::all) {
                got.clear();
            }
            const auto part =
                read(outputs[i], wanted == ShardOutput::all ? all : own[i], shards[i]);
            got.insert(got.end(), part.begin(), part.end());
            if (wanted == ShardOutput::all) {
                EXPECT_EQ(judge_stencil(input, stencil, got), "");
            }
        }
        EXPECT_EQ(judge_stencil(input, stencil, got), "");
    }

    template <class T>
    void expect_entropy(const Counts& counts, std::int64_t columns, const Entropy& entropy) {
        const std::int64_t rows = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
        const EntropyCase<T> one(rows, columns, entropy);
        const auto shards = shards_of(one.elements, counts, kGpus, columns);
        Counts sizes;
        for (const std::int64_t count : counts) {
            sizes.push_back(count * columns);
        }
        const auto outputs = arrays_of<float>(sizes);
        tuned_entropy(shards, columns, outputs, entropy, ShardOutput::own, *session_);
        write_over(shards, columns);
        std::vector<float> got;
        for (std::size_t i = 0; i < shards.size(); ++i) {
            const auto part = read(outputs[i], sizes[i], shards[i]);
            got.insert(got.end(), part.begin(), part.end());
        }
        EXPECT_EQ(one.judge(got), "");
    }
};

TEST_F(Shards, StencilsAreThoseOfOneArray) {
    for (const Boundary boundary : kBoundaries) {
        for (const int radius : {1, 4, 9}) {
            for (const Counts& counts : kCounts) {
                SCOPED_TRACE(std::string(to_string(boundary)) + " radius " +
                             std::to_string(radius) + " " + testing::PrintToString(counts));
                expect_stencil<std::int32_t>(counts, {.radius = radius, .boundary = boundary},
                                             ShardOutput::own);
            }
        }
    }
    expect_stencil<double>({50, 60}, {.radius = 3, .boundary = Boundary::wrap}, ShardOutput::own);
}

TEST_F(Shards, EntropiesAreThoseOfOneArray) {
    for (const Counts& counts : kCounts) {
        for (const std::int64_t columns : {1, 13}) {
            SCOPED_TRACE(testing::PrintToString(counts) + " x " + std::to_string(columns));
            expect_entropy<float>(counts, columns, {});
            expect_entropy<std::uint8_t>(counts, columns, {11, 20});
        }
    }
}

TEST_F(Shards, EveryGpuGetsAllOutputsWhereThatIsWanted) {
    for (const Boundary boundary : {Boundary::valid, Boundary::wrap}) {
        for (const Counts& counts : {Counts{40, 40, 40}, Counts{7, 50, 2}, Counts{9, 0, 30}}) {
            expect_stencil<std::int32_t>(counts, {.radius = 2, .boundary = boundary},
                                         ShardOutput::all);
        }
    }
    EXPECT_GT(fake_.calls("cuMemcpyPeerAsync"), 0);
}

TEST_F(Shards, ComeAgainWithNothingToResolveAndNoWaits) {
    const std::vector<float> values(300, 1.0F);
    const auto shards = shards_of(values, {100, 100, 100});
    const auto outputs = arrays_of<float>({100, 100, 100});
    const Stencil stencil{.radius = 2, .boundary = Boundary::zero};
    const auto call = [&] { tuned_stencil(shards, outputs, stencil, ShardOutput::own, *session_); };
    call();
    const auto compiles = session_->counters().compiles;
    const int waits = fake_.calls("cuStreamSynchronize");
    const int allocations = fake_.calls("cuMemAlloc");
    const int peers = fake_.calls("cuCtxEnablePeerAccess");
    EXPECT_EQ(peers, 4);  // each pair of neighbours
    fake_.on_launch = [this](FakeLaunch& launch) { return run_family(fake_, launch); };
    const std::size_t before = fake_.launches().size();
    call();
    EXPECT_EQ(session_->counters().compiles, compiles);
    EXPECT_EQ(fake_.calls("cuStreamSynchronize"), waits);
    EXPECT_EQ(fake_.calls("cuMemAlloc"), allocations);
    EXPECT_EQ(fake_.calls("cuCtxEnablePeerAccess"), peers);
    // The bodies on the app's streams first, then the bands beside them, by the same kernels.
    const auto launches = fake_.launches();
    ASSERT_EQ(launches.size(), before + 6);
    for (std::size_t i = 0; i < 3; ++i) {
        const FakeLaunch& body = launches[before + i];
        const FakeLaunch& band = launches[before + 3 + i];
        EXPECT_EQ(body.stream, shards[i].stream);
        EXPECT_EQ(body.device, static_cast<int>(i));
        EXPECT_EQ(band.device, static_cast<int>(i));
        EXPECT_EQ(band.expression, body.expression);
        EXPECT_EQ(band.arguments.at(2), i == 1 ? 12U : 6U);
    }
}

/// As docs/how-to/several_gpus.md has it: what matters is that it compiles.
[[maybe_unused]] void documented_calls(const std::vector<Shard<float>>& shards,
                                       const std::vector<float*>& outputs) {
    tuned_stencil(shards, outputs, {.radius = 8, .boundary = Boundary::wrap});
    tuned_entropy(shards, 10, outputs, {.window = 5, .levels = 16});
}

TEST_F(Shards, OneShardIsAPlainCall) {
    const std::vector<float> values(300, 1.0F);
    const auto shards = shards_of(values, {300});
    const auto outputs = arrays_of<float>({300});
    tuned_stencil(shards, outputs, {.boundary = Boundary::wrap}, ShardOutput::own, *session_);
    EXPECT_EQ(fake_.launches().size(), 1U);
    EXPECT_EQ(fake_.calls("cuMemcpyDtoDAsync"), 0);
}

TEST_F(Shards, FindTheirGpuByThePointerWhereTheyHaveNoStream) {
    std::vector<std::int32_t> values(90);
    std::iota(values.begin(), values.end(), 0);
    auto shards = shards_of(values, {40, 50});
    const Stencil stencil{.boundary = Boundary::clamp};
    const auto outputs = arrays_of<std::int32_t>({40, 50});
    for (auto& shard : shards) {
        fake_.driver().cuStreamSynchronize(shard.stream);
        shard.stream = nullptr;
    }
    tuned_stencil(shards, outputs, stencil, ShardOutput::own, *session_);
    std::vector<std::int32_t> got(outputs[0], outputs[0] + 40);
    got.insert(got.end(), outputs[1], outputs[1] + 50);
    EXPECT_EQ(judge_stencil(values, stencil, got), "");
    const auto launches = fake_.launches();
    EXPECT_EQ(launches.at(0).device, 0);
    EXPECT_EQ(launches.at(1).device, 1);
}

TEST_F(Shards, MayLieOnOneGpu) {
    std::vector<std::int32_t> values(90);
    std::iota(values.begin(), values.end(), 0);
    const auto shards = shards_of(values, {40, 50}, 1);
    const auto outputs = arrays_of<std::int32_t>({90, 90}, 1);
    const Stencil stencil{.boundary = Boundary::wrap};
    tuned_stencil(shards, outputs, stencil, ShardOutput::all, *session_);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(judge_stencil(values, stencil, read(outputs[i], 90, shards[i])), "");
    }
    EXPECT_EQ(fake_.calls("cuMemcpyPeerAsync"), 0);
}

/// What jitune has made beside the app's streams must not be touched once their contexts are gone.
TEST_F(Shards, ContextsOfTheAppMayEndBeforeTheSession) {
    std::vector<std::int32_t> values(90);
    std::iota(values.begin(), values.end(), 0);
    const Stencil stencil{.boundary = Boundary::wrap};
    for (int turn = 0; turn < 2; ++turn) {
        auto shards = shards_of(values, {40, 50});
        const auto outputs = arrays_of<std::int32_t>({90, 90});
        std::vector<CUcontext> contexts;
        for (int gpu = 0; gpu < 2; ++gpu) {
            contexts.push_back(fake_.make_context(gpu));
            fake_.make_current(contexts.back());
            CUstream_st*& stream = shards[static_cast<std::size_t>(gpu)].stream;
            fake_.driver().cuStreamSynchronize(stream);
            stream = fake_.make_stream();
        }
        fake_.make_current(nullptr);
        tuned_stencil(shards, outputs, stencil, ShardOutput::all, *session_);
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(judge_stencil(values, stencil, read(outputs[i], 90, shards[i])), "");
        }
        for (const CUcontext context : contexts) {
            EXPECT_TRUE(fake_.end_context(context));
        }
    }
}

TEST_F(Shards, ThePrimaryContextStaysWhileTheSessionHasStreamsInIt) {
    std::vector<std::int32_t> values(90);
    const auto shards = shards_of(values, {40, 50});
    tuned_stencil(shards, arrays_of<std::int32_t>({40, 50}), Stencil{.boundary = Boundary::wrap},
                  ShardOutput::own, *session_);
    for (int gpu = 0; gpu < 2; ++gpu) {
        EXPECT_FALSE(fake_.end_context(fake_.primary_context(gpu)));
    }
}

TEST_F(Shards, CallsOfSeveralThreadsOnTheSameStreamsDoNotMix) {
    constexpr std::int64_t kHalf = 50;
    const Stencil stencil{.radius = 3, .boundary = Boundary::wrap};
    std::vector<std::vector<std::int32_t>> values;
    std::vector<std::vector<Shard<std::int32_t>>> shards;
    std::vector<std::vector<std::int32_t*>> outputs;
    for (std::size_t i = 0; i < 2; ++i) {
        values.emplace_back(2 * kHalf);
        std::iota(values[i].begin(), values[i].end(), static_cast<std::int32_t>(1000 * i));
        shards.push_back(shards_of(values[i], {kHalf, kHalf}));
        outputs.push_back(arrays_of<std::int32_t>({2 * kHalf, 2 * kHalf}));
    }
    for (std::size_t gpu = 0; gpu < 2;
         ++gpu) {  // its data is there before the other's stream goes on
        fake_.driver().cuStreamSynchronize(shards[1][gpu].stream);
        shards[1][gpu].stream = shards[0][gpu].stream;
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 2; ++i) {
        threads.emplace_back([&, i] {
            for (int call = 0; call < 30; ++call) {
                tuned_stencil(shards[i], outputs[i], stencil, ShardOutput::all, *session_);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t gpu = 0; gpu < 2; ++gpu) {
            EXPECT_EQ(
                judge_stencil(values[i], stencil, read(outputs[i][gpu], 2 * kHalf, shards[i][gpu])),
                "");
        }
    }
}

TEST_F(Shards, RefuseInvalidArguments) {
    const std::vector<float> values(100, 1.0F);
    auto shards = shards_of(values, {60, 40});
    auto outputs = arrays_of<float>({60, 40});
    const auto refused = [&](const std::string& text, ErrorKind kind = ErrorKind::usage) {
        expect_error(kind, text, [&] {
            tuned_stencil(shards, outputs, {.boundary = Boundary::zero}, ShardOutput::own,
                          *session_);
        });
        expect_error(kind, text,
                     [&] { tuned_entropy(shards, 1, outputs, {}, ShardOutput::own, *session_); });
    };
    const auto good_shards = shards;
    const auto good_outputs = outputs;
    const auto mend = [&] {
        shards = good_shards;
        outputs = good_outputs;
    };
    shards.clear();
    outputs.clear();
    refused("no shards were given");
    mend();
    outputs.pop_back();
    refused("1 outputs for 2 shards");
    mend();
    shards[1].count = -1;
    refused("a shard of -1");
    shards[1].count = (std::int64_t{1} << 40) - 59;
    refused("more than 2^40");
    mend();
    shards[1].data = nullptr;
    refused("the input of shard 1 is a null pointer");
    shards[1].data = reinterpret_cast<float*>(reinterpret_cast<char*>(outputs[1]) + 1);
    refused("the input of shard 1 is not aligned to 4 bytes");
    mend();
    outputs[0] = nullptr;
    refused("the output of shard 0 is a null pointer");
    outputs[0] = const_cast<float*>(shards[1].data) + 39;
    refused("the output of shard 0 overlaps the input of shard 1");
    outputs[0] = outputs[1] + 39;
    refused("the output of shard 1 overlaps the output of shard 0");
    mend();
    shards[1].stream = shards[0].stream;
    refused("give each shard a stream of its own");
    mend();
    std::vector<float> host(40);
    shards[1] = {host.data(), 40, nullptr};
    refused("its pointer is not device memory");
    mend();
    fake_.begin_capture(shards[1].stream);
    refused("cannot be captured", ErrorKind::not_prepared);
    EXPECT_TRUE(fake_.end_capture(shards[1].stream));
    EXPECT_TRUE(fake_.launches().empty());
    expect_error(ErrorKind::usage, "radius 0", [&] {
        tuned_stencil(shards, outputs, {.radius = 0}, ShardOutput::own, *session_);
    });
    expect_error(ErrorKind::usage, "the window is 4", [&] {
        tuned_entropy(shards, 1, outputs, {.window = 4}, ShardOutput::own, *session_);
    });
}

TEST_F(Shards, LaunchNothingForNoElements) {
    const std::vector<Shard<float>> shards{{nullptr, 0}, {nullptr, 0}};
    const std::vector<float*> outputs{nullptr, nullptr};
    tuned_stencil(shards, outputs, {}, ShardOutput::all, *session_);
    tuned_entropy(shards, 7, outputs, {}, ShardOutput::own, *session_);
    EXPECT_EQ(stencil_outputs(shards, {}), (Counts{0, 0}));
    EXPECT_TRUE(fake_.launches().empty());
}

TEST_F(Shards, ADriverThatFailsGivesAnErrorAndTheNextCallAnswers) {
    std::vector<std::int32_t> values(90);
    std::iota(values.begin(), values.end(), 0);
    const auto shards = shards_of(values, {40, 50});
    const auto outputs = arrays_of<std::int32_t>({90, 90});
    const Stencil stencil{.boundary = Boundary::wrap};
    fake_.order().watch(false);  // what a call that failed has left is in no order
    const auto call = [&] { tuned_stencil(shards, outputs, stencil, ShardOutput::all, *session_); };
    for (const bool known : {false, true}) {
        int errors = 0;
        for (int nth = 1;; nth += known ? 1 : 7) {
            start(fake_.tables());
            EXPECT_EQ(session_->devices().size(),
                      3U);  // a driver that does not start is none for good
            if (known) {
                call();
            }
            const int before = fake_.total_calls();
            fake_.fail_nth_call(nth, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
            try {
                call();
            } catch (const Error& error) {
                ++errors;
                EXPECT_NE(error.kind(), ErrorKind::usage) << error.what();
            }
            const bool over = fake_.total_calls() - before < nth;
            fake_.mend();
            EXPECT_EQ(fake_.current(), nullptr);
            call();
            for (std::size_t i = 0; i < 2; ++i) {
                EXPECT_EQ(judge_stencil(values, stencil, read(outputs[i], 90, shards[i])), "");
            }
            if (over) {
                break;
            }
        }
        EXPECT_GT(errors, known ? 40 : 15);
    }
}

}  // namespace
}  // namespace jitune::internal
